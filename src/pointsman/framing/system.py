"""What was retrieved and stands in a system message: Dify's chat apps, RAGFlow, AnythingLLM, FastGPT and Open WebUI where
they are told so, LlamaIndex's chat engines. Pure; linear in the message."""

from __future__ import annotations

import re

from pointsman.framing.frames import bare

_NAMES = (
    "context|cites|references?|qa|faq|data|filescontent|documents|knowledge|knowledge_base|knowledge-base|sources"
    "|search_results|retrieved_context|retrieved_documents|background|已知信息|知识库|参考资料|资料"
)
_TAGS = re.compile(rf"(?i)<({_NAMES})>(?!</)")
_CLOSING = re.compile(rf"(?i)</({_NAMES})>")
_ZH = "(?:我的|检索到的|相关的?)?(?:知识库|资料|参考资料|上下文|文档|已知信息)(?:内容)?"
_EN = "(?:is|are) the (?:knowledge base|knowledge|context|documents|dataset)"
_BETWEEN = (
    (re.compile(f"以下是{_ZH}[:：]?"), re.compile(f"以上是{_ZH}")),
    (re.compile(f"(?i)here {_EN}[:：]"), re.compile(f"(?i)the above {_EN}")),
    (
        re.compile(r"(?i)context information is below\.[^\n]{0,80}\n[ \t]{0,8}-{5,200}"),
        re.compile(r"\n[ \t]{0,8}-{5,200}[ \t]{0,8}(?:\n|$)"),
    ),
)
_LABEL = re.compile(
    r"(?im)^[ \t]{0,8}(?:#{1,6} {0,3}|\*\*)?(?:retrieved )?(?:context|documents|knowledge(?: base)?|sources|references"
    r"|上下文|已知信息|参考资料|参考信息|知识库(?:内容)?|检索结果|资料)(?:\*\*)?[ \t]{0,3}[:：](?:\*\*)?[ \t]{0,8}\r?$"
)


def system_contexts(text: str) -> tuple[str, ...]:
    """The texts in a system message that were retrieved: inside of tags that say so, between sentences that do, or below a
    line that is nothing but "Context:". Other system messages hold none."""
    for found in (_in_tags(text), _between(text), _below(text)):
        if found:
            return found
    return ()


def _in_tags(text: str) -> tuple[str, ...]:
    """A tag that a line ends with goes before one that is only mentioned; it reaches to the last closing one."""
    openings = list(_TAGS.finditer(text))
    closings = {closing[1].lower(): closing.start() for closing in _CLOSING.finditer(text)} if openings else {}
    ends = [opening for opening in openings if text[opening.end() : opening.end() + 1] in ("\n", "\r")]
    for opening in (*ends, *openings):
        end = closings.get(opening[1].lower(), -1)
        if end > opening.end() and text[opening.end() : opening.end() + 1] != "<":
            context = bare(text, opening.end(), end)
            return (context,) if context else ()
    return ()


def _between(text: str) -> tuple[str, ...]:
    for opening, closing in _BETWEEN:
        begin = opening.search(text)
        places = [found.start() for found in closing.finditer(text, begin.end())] if begin else []
        if begin and places and (context := bare(text, begin.end(), places[-1])):
            return (context,)
    return ()


def _below(text: str) -> tuple[str, ...]:
    label = _LABEL.search(text)
    context = text[label.end() :].strip() if label else ""
    return (context,) if context else ()
