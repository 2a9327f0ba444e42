"""The words that tell what kind of work is asked for, as RE2 patterns; `task.py` says how they are used."""

from __future__ import annotations

LINES: tuple[tuple[str, str], ...] = (
    (
        "translation",
        r"翻译|译成|译为|译一下|英译中|中译英|用(?:英文|英语|日语|法语|德语)怎么说|\btranslat(?:e|ion|ing)\b|"
        r"\bhow (?:do|would) (?:you|i) say\b.*\bin (?:chinese|english|french|german|japanese|spanish|korean|russian)",
    ),
    (
        "summarization",
        r"总结|摘要|概括|归纳|提炼|梳理.{0,8}要点|要点列|会议纪要|太长不看|\bsummar(?:y|ise|ize|ies|izing|ising)\b|\btl;?dr\b|"
        r"\bkey (?:points|takeaways)\b|\bboil .{0,30}down\b|\bcondense\b|\bgist of\b|\brecap\b|\bminutes of\b",
    ),
    (
        "code_review",
        r"(?:审查|审阅|检查|评审|看看|看下|帮我看|review|排查).{0,30}(?:代码|函数|脚本|bug|漏洞|\bpr\b|sql|实现)|代码.{0,12}(?:审查|有没有问题|"
        r"有什么问题|哪里错|为什么报错|优化)|为什么报错|报错.{0,12}(?:怎么|原因)|\b(?:code review|review (?:this|my|the) (?:code|pr|patch|diff|"
        r"function|pull request|sql|query|class|script))\b|\b(?:find|spot|any|fix) .{0,20}\bbugs?\b|"
        r"\b(?:what(?:'s| is) wrong with|is (?:this|it) (?:thread.?safe|safe|secure)|race condition|sql injection|memory leak)\b",
    ),
    (
        "code_completion",
        r"(?:写|编写|实现|补全|生成|帮我写|完成|补完).{0,24}(?:函数|代码|脚本|程序|类|接口|正则|sql|单元测试|dockerfile|爬虫|算法|组件)|"
        r"用(?:python|java|go|rust|js|javascript|typescript|c\+\+|c#|shell|sql|bash)(?:实现|写)|"
        r"\b(?:write|implement|complete|finish|create|generate|build|code|add|give me)\b.{0,40}\b(?:function|script|method|class|program|code|"
        r"regex|sql|query|unit tests?|dockerfile|component|endpoint|api|one-?liner|decorator|hook|loop|snippet|makefile|cli)\b|\bautocomplete\b",
    ),
    (
        "math",
        r"[∫∑√∂π]|x²|\\(?:int|sum|frac)|计算|求解|解方程|求导|导数|积分|概率是多少|多少(?:元|钱|公里|度|平方|个百分点)|等于(?:多少|几)|方程|矩阵|行列式|"
        r"因式分解|百分之几|利率|复利|\b(?:solve|calculate|compute|derivative|integral|integrate|equation|probability|factori[sz]e|square root|"
        r"determinant|eigenvalues?|how much is|what(?:'s| is) \d|simplify|percent(?:age)? of|compound interest)\b|\d\s*[-+*/×÷^]\s*\d",
    ),
    (
        "extraction",
        r"提取|抽取|抽出|挑出|摘出|找出(?:文中|里面|其中|所有|这)|列出(?:文中|里面|其中|所有).{0,20}(?:人名|日期|金额|地址|电话|邮箱|名称|公司|编号)|"
        r"(?:转成|整理成|输出|返回).{0,6}(?:json|表格)|\b(?:extract|pull out|parse out|pick out|list (?:all|every) (?:the )?(?:names?|dates?|"
        r"emails?|amounts?|addresses|phone|companies|entities|urls?|numbers?|people))\b",
    ),
    (
        "classification",
        r"分类|归类|打标签|标注.{0,6}(?:情感|类别)|情感(?:倾向|分析|是)|(?:正面|积极|好评).{0,4}(?:还是|或|/).{0,4}(?:负面|消极|差评|中性)|属于(?:哪|什么)(?:一)?(?:类|种|个类)|"
        r"是不是垃圾(?:邮件|短信)|判断.{0,20}(?:类别|类型|意图|情感|垃圾|属于|是否)|\b(?:classif(?:y|ication)|categori[sz]e|label (?:this|these|each|the)|sentiment|"
        r"spam or|positive or negative|which category|what category|tag (?:this|these|each))\b",
    ),
    (
        "rewriting",
        r"改写|润色|重写|改(?:得|成|为|的).{0,10}(?:正式|口语|简洁|委婉|礼貌|专业|通顺|友好|语气)|换(?:一)?种说法|换个说法|缩写成|扩写|精简|语法错误|病句|错别字|校对|改短|"
        r"更(?:正式|委婉|简洁|礼貌|专业|口语化)(?:一点|一些|些)?|\b(?:rewrite|rephrase|reword|paraphrase|proofread|polish|shorten|"
        r"(?:fix|correct|check) (?:the |my )?(?:grammar|spelling|typos?)|make (?:this|it|my .{1,20}) .{0,12}(?:more|less|sound|shorter|formal|polite|"
        r"friendlier|clearer|concise|professional)|tone (?:it )?down|edit (?:this|my))\b",
    ),
    (
        "multi_step",
        r"首先.{2,80}然后|先.{2,60}(?:再|然后|接着).{2,60}|分步|一步(?:一步|步)|制定.{0,20}(?:计划|方案|规划)|规划.{0,16}(?:行程|路线|学习|旅行)|(?:行程|旅行|学习)计划|"
        r"\bstep[- ]by[- ]step\b|\bfirst\b.{3,120}\bthen\b|\b(?:plan|itinerary|roadmap)\b.{0,40}\b(?:for|to|trip|days?|weeks?|months?|migration|launch)\b|"
        r"\b(?:then|after that|finally),? .{3,80}\b(?:then|after that|finally)\b",
    ),
    (
        "creative",
        r"写(?:一)?(?:首|篇|个|段|封|则|副|句|一下).{0,24}(?:诗|故事|小说|歌词|文案|剧本|散文|作文|祝福|对联|童话|情书|标语|口号|段子|笑话|贺词|广告|开场白)|"
        r"(?:编|讲)(?:一)?个.{0,12}(?:故事|笑话|童话)|作诗|起(?:个|一个|几个).{0,8}名|取(?:个|一个|几个).{0,6}名|朋友圈文案|藏头诗|slogan|"
        r"\b(?:write|compose|create|make up|tell|invent|come up with|brainstorm|draft)\b.{0,50}\b(?:poems?|stor(?:y|ies)|songs?|lyrics|haikus?|limericks?|jokes?|"
        r"slogans?|taglines?|novels?|scenes?|dialogue|fairy ?tales?|toast|sonnet|screenplay|ad copy|names?|captions?|rap|speech)\b",
    ),
    (
        "analysis",
        r"分析|评估|对比|比较|优缺点|利弊|原因(?:是|有)|为什么.{0,30}(?:下降|下滑|上升|增长|减少|变慢|亏|流失)|趋势|影响(?:是|有)|可行性|该选|值不值|风险|"
        r"\b(?:analy[sz]e|analysis|compare|comparison|evaluate|assess|pros and cons|trade-?offs?|root cause|why (?:did|are|is|has|have|do) .{0,60}"
        r"(?:drop|fall|decline|decrease|increase|grow|spike|slow|churn|down|up)|versus|vs\.?|implications?|should (?:we|i) (?:choose|use|pick|go|buy))\b",
    ),
    (
        "faq",
        r"(?:怎么|如何|怎样|在哪(?:里|儿)?|哪里).{0,16}(?:重置|修改|申请|登录|登陆|注册|注销|开通|绑定|退款|退货|下载|安装|导出|查看|报销|请假|打印|充值|取消|办理|激活|"
        r"设置|打卡|连接|联系|预约|开发票|找回)|忘记密码|营业时间|上班时间|客服电话|多久(?:到账|发货|能到)|保修|年假|报销流程|工作时间|几点(?:开门|关门|下班)|"
        r"(?:支持|能)(?:7天|七天|无理由)|\b(?:how (?:do|can|to) (?:i |you |we )?(?:reset|change|cancel|update|apply|log ?in|sign ?(?:up|in)|register|"
        r"download|install|export|return|contact|connect|enable|disable|unsubscribe|track|activate|renew|book|submit|request|print|find|delete|upgrade)|"
        r"forgot (?:my )?password|opening hours|business hours|refund policy|return policy|shipping|warranty|what time do you|where (?:can|do) i|"
        r"do you (?:accept|offer|ship|have|support)|am i eligible|is there a (?:free|fee|limit|discount))\b",
    ),
    (
        "open_qa",
        r"是什么|什么是|为什么|是谁|谁是|多大|多高|多远|哪(?:一)?年|哪(?:个|些|里|国|座)|有什么区别|有哪些|怎么|如何|介绍(?:一下)?|解释|讲讲|说说|科普|吗[?？]?$|呢[?？]?$|几(?:个|月|岁)|"
        r"\b(?:what|who|when|where|why|how|which|explain|describe|tell me about|define|difference between|does|is|are|can|do)\b",
    ),
)
GREETING = (
    r"(?i)^\W*(?:hi|hello|hey|yo|good (?:morning|afternoon|evening|night)|thanks?|thank you|bye|goodbye|howdy|what'?s up|how are you|how's it going|"
    r"sup|greetings|你好|您好|嗨|哈喽|哈啰|嘿|早|早上好|早安|上午好|中午好|下午好|晚上好|晚安|谢谢|多谢|感谢|再见|拜拜|在吗|在不在|大家好|辛苦了|最近怎么样|吃了吗|新年快乐|周末愉快)"
    r"(?:[\s\pP\pS]|there|everyone|all|again|呀|啊|哦|呢|啦|哈|吗|你|您|了|大家|各位|team|guys|folks|today|so much|very much|you|a lot|老师|小助手|doing|everybody|mate|buddy)*$"
)
