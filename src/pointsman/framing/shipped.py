"""The frames that ship: how widespread products write retrieved text and a question into one message. Data only.

Each is a product's default, as far as it tells that product's messages from others; what users change in it, or what
differs between its versions, is {any}. More exact frames stand before more open ones.
"""

from __future__ import annotations

from pointsman.domain.frame import Frame

_OPEN_WEBUI = (
    (
        "open-webui",
        "### Task:\nRespond to the user query using the provided context{any}<context>\n{context}\n</context>\n\n"
        "<user_query>\n{question}\n</user_query>",
    ),
    (  # Ollama models: put before the message, which so comes twice
        "open-webui-twice",
        "### Task:\nRespond to the user query using the provided context{any}<context>\n{context}\n</context>\n\n"
        "<user_query>\n{any}\n</user_query>\n{question}",
    ),
    (  # since the template ends with the context
        "open-webui-context",
        "### Task:\nRespond to the user query using the provided context{any}<context>\n{context}\n</context>\n{question}",
    ),
    (
        "open-webui-rules",
        "You are given a user query, some textual context and rules, all inside xml tags.{any}<context>\n{context}\n"
        "</context>\n\n<rules>{any}</rules>\n\n<user_query>\n{question}\n</user_query>",
    ),
    (
        "open-webui-rules-twice",
        "You are given a user query, some textual context and rules, all inside xml tags.{any}<context>\n{context}\n"
        "</context>\n\n<rules>{any}</rules>\n\n<user_query>\n{any}\n</user_query>\n{question}",
    ),
    (
        "open-webui-learned",
        "Use the following context as your learned knowledge, inside <context></context> XML tags.\n<context>\n{context}\n"
        "</context>{any}Given the context information, answer the query.\nQuery: {question}",
    ),
)

_FASTGPT = (
    *(
        (
            f"fastgpt-{tag.lower()}-{tongue}",
            f"## {task}\n{{any}}<{tag}>\n{{context}}\n</{tag}>\n\n## {asked}\n\n{{question}}\n\n## {answer}",
        )
        for tag in ("Cites", "QA")
        for tongue, task, asked, answer in (
            ("zh", "任务描述", "用户问题", "回答"),
            ("en", "Task Description", "User Question", "Response"),
        )
    ),
    *(
        (
            f"fastgpt-{name}-{tongue}",
            f'{{any}}<{tag}></{tag}>{{any}}<{tag}>\n{{context}}\n</{tag}>\n\n{{any}}\n{asked}:"""{{question}}"""',
        )
        for name, tag in (
            ("reference", "Reference"),
            ("old-cites", "Cites"),
            ("old-qa", "QA"),
            ("old-faq", "FAQ"),
            ("old-data", "Data"),
            ("fastwiki", "data"),
        )
        for tongue, asked in (("zh", "问题"), ("en", "Question"))
    ),
    ("fastgpt-mine", '你的背景知识:\n"""\n{context}\n"""\n对话要求：{any}我的问题是:"{question}"'),
)

_LEARNED = "Use the following context as your learned knowledge, inside <context></context> XML tags.\n\n"
_HISTORIES = (
    "Here {any} the chat histories between human and assistant, inside <histories></histories> XML tags.\n\n<histories>\n"
    "{history}\n</histories>\n\n\nHuman: {question}\n\nAssistant:"
)
_DIFY = (
    ("dify-completion-context", _LEARNED + "<context>\n{context}\n</context>\n\n{any}" + _HISTORIES),
    ("dify-completion", "{any}" + _HISTORIES),
    (
        "dify-context",
        _LEARNED + "<context>\n{context}\n</context>\n\nWhen answer to user:{any}"
        "And answer according to the language of the user's question.\n{question}",
    ),
    (
        "dify-context-changed",
        _LEARNED + "<context>\n{context}\n</context>\n\n{any}\n\nHuman: {question}\n\nAssistant:",
    ),
    ("dify-zh", "用户在与一个客观的助手对话{any}```\n{context}\n```{any}\n用户：{question}"),
    ("context-tag", "<context>\n{context}\n</context>\n\n{question}"),
)

_CHINESE = (
    ("maxkb-zh", "已知信息：{context}\n用户问题：{question}\n回答要求：\n- 请使用中文回答用户问题"),
    ("maxkb-en", "Known information: {context}\nQuestion: {question}\nResponse requirements:{any}"),
    (
        "chatchat",
        "<指令>{any}</指令>{any}<已知信息>{context}</已知信息>{any}<问题>{question}</问题>",
    ),
    ("chatglm-below", "已知信息：{context}\n根据上述已知信息，回答以下问题：\n{question}"),
    ("chatglm", "已知信息：{context}\n根据上述已知信息{any}答案请使用中文。 问题是：{question}"),
    ("chatglm-changed", "已知信息：{context}\n根据上述已知信息{any}问题是：{question}"),
    ("maxkb-changed", "已知信息：{context}\n用户问题：{question}\n回答要求：{any}"),
    ("qanything", "参考信息：\n{context}\n---\n我的问题或指令：\n{question}\n---\n请根据上述参考信息{any}"),
    ("zh-known", "基于以下已知信息{any}已知内容：{context}\n问题：{question}"),
    *(
        (f"zh-{name}-{mark}-{ending}", f"{opening}{{context}}\n{asked}：{{question}}{tail}")
        for name, opening in (
            ("context", "{any}上下文"),
            ("material", "{any}资料"),
            ("knowledge", "{any}知识库"),
            ("known", "{any}已知信息"),
        )
        for mark, asked in (("user", "用户问题"), ("plain", "问题"))
        for ending, tail in (("answer", "\n回答："), ("solution", "\n答案："))
    ),
    *(
        (f"zh-{name}{polite}-{mark}", f"{please}{opening}{{any}}回答{{context}}\n{asked}：{{question}}")
        for name, opening in (
            ("by", "根据以下"),
            ("by-below", "根据下面"),
            ("on", "基于以下"),
            ("use", "使用以下"),
            ("refer", "参考以下"),
        )
        for polite, please in (("", ""), ("-please", "请"))
        for mark, asked in (("user", "用户问题"), ("plain", "问题"))
    ),
)

_PIECES = "Use the following pieces of context to answer"
_ONLY = "Answer the question based only on the following context"
_TASKS = "You are an assistant for question-answering tasks."
_LANGCHAIN = (
    ("langchain-helpful", "{any}" + _PIECES + "{context}\nQuestion: {question}\nHelpful Answer:"),
    ("langchain-pieces", "{any}" + _PIECES + "{context}\nQuestion: {question}\nAnswer:"),
    ("langchain-only-above", _ONLY + "{context}\n---\n\nAnswer the question based on the above context: {question}"),
    ("langchain-only", "{any}" + _ONLY + "{context}\nQuestion: {question}\nAnswer:"),
    ("langchain-hub", _TASKS + "{any}the answer concise.\nQuestion: {question}\nContext: {context}\nAnswer:"),
    ("langchain-hub-changed", _TASKS + "{any}\nQuestion: {question}\nContext: {context}\nAnswer:"),
    ("langchain-tasks-hash", _TASKS + "{any}#Context:{context}\n#Question:\n{question}\n\n#Answer:"),
    ("en-context", "{any}Context:{context}\nQuestion: {question}\nAnswer:"),
    ("langchain-pieces-open", _PIECES + "{context}\nQuestion: {question}"),
    ("langchain-only-open", _ONLY + "{context}\nQuestion: {question}"),
    *(
        (f"en-{name}", f"{opening}{{context}}\nQuestion: {{question}}")
        for name, opening in (
            ("use-context", "Use the following context to answer"),
            ("use-below", "Use the context below to answer"),
            ("based-on", "Based on the following context"),
            ("answer-based", "Answer the question based on the following context"),
        )
    ),
)

_RULE = "---------------------"
_LLAMA_INDEX = (
    (
        "llamaindex",
        f"{{any}}Context information is below.\n{_RULE}\n{{context}}\n{_RULE}\n"
        "Given the context information{any}\nQuery: {question}\nAnswer:",
    ),
    (
        "llamaindex-tree",
        f"Context information from multiple sources is below.\n{_RULE}\n{{context}}\n{_RULE}\n"
        "Given the information from multiple sources{any}\nQuery: {question}\nAnswer:",
    ),
    (
        "llamaindex-question",
        f"Context information is below.\n{_RULE}\n{{context}}\n{_RULE}\n"
        "Given the context information and not prior knowledge, answer the question: {question}",
    ),
)
_SPRING = (
    (
        "spring-ai",
        f"{{question}}\n\nContext information is below, surrounded by {_RULE}\n\n{_RULE}\n{{context}}\n{_RULE}\n\n"
        "Given the context and provided history information{any}the user that you can't answer the question.",
    ),
)

SHIPPED: tuple[Frame, ...] = tuple(
    Frame(name, template=template)
    for name, template in (*_OPEN_WEBUI, *_FASTGPT, *_DIFY, *_CHINESE, *_LANGCHAIN, *_LLAMA_INDEX, *_SPRING)
)
