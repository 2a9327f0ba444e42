"""What looks like a time and is none, or says too little for one: 一周年庆, 五一路, 每周五, 月底, 618号, early October.

Each match keeps everything inside it, and everything that begins with it and is not longer, from being read.
"""

from __future__ import annotations

from collections.abc import Iterator

import re2

from pointsman.periods.point import Point

_N = r"(?:[0-9]{1,2}|[一二两三四五六七八九十]{1,3})"
_SURNAME = "王李张刘陈杨赵黄吴徐孙马朱胡林郭何高罗郑梁谢宋唐许邓冯韩曹曾彭肖蔡潘田董袁于余叶蒋杜苏魏程吕丁沈任姚卢傅钟姜崔谭廖范汪陆金石戴贾韦夏邱方侯邹熊孟秦白江阎薛尹段雷黎史龙陶贺顾毛郝龚邵万钱严武戚莫孔向汤"
_TITLE = "(?:先生|女士|小姐|老师|教授|博士|律师|医生|主任|同学|同志|师傅|经理|总监|部长|局长|校长|院长)"
_PLACE = (
    "(?:南|北|东|西|中|新|老)?(?:路|街|大道|大街|胡同|巷|弄|广场|公园|村|镇|乡|小区|社区|大厦|大桥|桥|水库|农场|林场|煤矿|站|店(?:[^庆铺面员长内]|$)|分店|门店|"
    "中学|小学|大学|学校|幼儿园|医院|酒店|饭店|商场|商城|市场|超市|书店|剧院|影城|文化宫|宾馆|军|厂|号楼|号院|新村|新区|商圈)"
)
_FEAST = "(?:国庆|建国|元旦|春节|中秋|端午|清明|重阳|元宵|七夕|劳动节?|五一|六一|八一|五四|十一|双十一|双十二|双11|双12|圣诞|光明|三八|七一|九一八|二七)"
_MONTH_OF = (
    r"(?:(?:(?:20[0-9]{2}|[0-9]{2}|[去今明前]|上一?)年的?)?"
    + _N
    + r"月份?|(?:上上?|下下?|这)一?个?月|本月|当月|每个?月)"
)
_NTH = r"(?:第[一二三四五六七八九十0-9]{1,2}|最后一?|首|头一|倒数第[一二三四五])"
_CHINESE = (
    # times of the year that say too little
    r"(?:(?:20[0-9]{2}|[0-9]{2}|去|今|明|前|上|本|当|每)?年(?:度)?的?|上上?个?|本|这个?|下下?个?|当|每个?|"
    + _N
    + r")?月份?的?月?(?:初|底|末|中(?:$|[^旬国])|初期|末期|尾)",
    r"(?:(?:20[0-9]{2}|[0-9]{2})年|[去今明前上本当每]年)?的?(?:" + _N + r"月份?|[本上下]月)?的?[上下前后]半[月周旬]",
    r"(?:(?:20[0-9]{2}|[0-9]{2})|[去今明前上本当每])?年(?:初|底|末|中|尾|关|终)(?:$|[^至以到])",
    r"(?:上个?|本|这个?|下个?|第?[一二三四])?(?:季度?(?:初|底|中|末)|周(?:初|底|中))(?:$|[^至以到国])",
    r"(?:最近|近|过去|未来|今后|前|接下来|这|那|头)的?这?(?:几|数|若干|好几|十几|几十|两三|三四|三五|三两|一两|一二)(?:个)?(?:工作日|天|日|周|星期|礼拜|月|季度|年)",
    r"(?:几|十几|几十|好几|两三|三四|三五|三两|一两|若干|多|数)个?(?:天|日|周|星期|礼拜|月|年)(?:之|以)?(?:前|后)|半个?(?:天|月|小时)(?:之|以)?(?:前|后)",
    r"(?:近期|近来|近日|最近|早些时候|前阵子|前段时间|这段时间|前不久|不久前|过几天|改天|往年|历年|常年)",
    r"(?:[去上前今明本]上?(?:个)?(?:年|月|周|季度?))?(?:的)?同期",
    r"[去前][年](?:的)?(?:今[天日]|此时|这时|这个时候)",
    # a part of a period that the convention does not name: 5月最后一周, 上月第一个周一, 10月前三天
    _MONTH_OF + r"的?[里内]?的?" + _NTH + r"个?(?:周|星期|礼拜|天|日|工作日|周末|旬)(?:的?[一二三四五六日天末])?",
    r"(?:(?:20[0-9]{2}|[0-9]{2}|[去今明前]|上一?)年的?)?(?:第?[一二三四]季度|q[1-4]|上个?季度|[本下]季度|[上下]半年)的?"
    + _NTH
    + r"个?(?:周|星期|天|日|工作日|月)",
    r"(?:(?:20[0-9]{2}|[0-9]{2}|[去今明前]|上一?)年)的?(?:最后一?|头一|首)个?(?:周|星期|天|日|工作日|月|季度)|[去今明前]年的?第"
    + _N
    + r"(?:天|个工作日)",
    r"(?:[上本这下]个?(?:周|星期|礼拜))的?" + _NTH + r"个?(?:天|日|工作日)",
    r"(?:"
    + _MONTH_OF
    + r"|第?[一二三四]季度|q[1-4]|[上下]半年|[上本这下]个?(?:周|星期|礼拜|季度))的?(?:前|头|后|最后)"
    + _N
    + r"个?(?:天|日|周|星期|礼拜|月|工作日)",
    _FEAST
    + r"(?:节)?(?:国庆|中秋|春节|元旦|端午|清明|双节)(?:节)?(?:假期|长假|双节)?|"
    + _FEAST
    + r"(?:节)?[一二三四五六七八九十0-9]{1,2}天(?:假期|长假|假|乐)?",
    r"(?:" + _N + r"、)+" + _N + r"(?:月|季度|[日号])|(?:[一二三四]{2,3})季度",
    # again and again
    r"(?:每逢?|逢|各)(?:隔)?(?:[一两二三四五六七八九十0-9]{1,2})?个?(?:周|星期|礼拜)(?:的?(?:周|星期|礼拜)?(?:六日|[一二三四五六日天末](?:[至到、和-](?:周|星期|礼拜)?[一二三四五六日天])?))?",
    r"(?:每|各)(?:隔)?(?:[一两二三四五六七八九十0-9]{1,2})?个?月(?:份)?(?:的?" + _N + r"[日号])?",
    r"(?:每|各)(?:隔)?(?:[一两二三四五六七八九十0-9]{1,2})?年(?:度)?(?:的?(?:"
    + _N
    + r"月(?:份|"
    + _N
    + r"[日号])?|第?[一二三四]季度|q[1-4]|[上下]半年|[\p{Han}]{1,3}节))?",
    r"(?:每|各|整)个?(?:工作日|季度|天|日)",
    r"(?:[一两二三四五六七八九十几数多半每]{1,3}|[0-9]{1,2})个?(?:周|星期|礼拜|月|年)[一两二三四五六几0-9](?:次|回|趟|更|休|歇|换|结|清|检|考|会|度|遇)",
    r"(?:工作日)(?:志|报|历|程|常|期)|(?:非|[0-9一二两三四五六七八九十几]+个?|满|的|每个?|普通|法定|平均|正常)工作日",
    r"[0-9]{1,3}[~-][0-9]{1,3}(?:天|周|年|个月|个?工作日)",
    r"第[0-9一二两三四五六七八九十]{1,4}(?:天|日|年|季(?:$|[^度]))",
    r"(?:(?:(?:20[0-9]{2}|[0-9]{2}|[去今明前]|上一?)年的?)?(?:[0-9]{1,2}|\p{Han}{0,2})月份?|开学|怀孕|孕|孕期|妊娠|产后|术后|培训|课程|入职|上线|试用期?|训练|实习|军训|赛季|联赛|学期|上市|上映|营业|项目|计划|本月|上月|下月)的?(?:后|的)?第"
    + _N
    + r"个?(?:周|星期|礼拜)(?:的?(?:周|星期|礼拜)?[一二三四五六日天])?",
    # names and sayings
    r"[一二两三四五六七八九十百几0-9]+周[年岁]|周年|[一二三四五六七八九十百0-9]+年[级制期]|半年报",
    r"周[一二三四五六日天](?:鸣|围|福|仙|良|清明|桂|峰|" + r"\p{Han}" + _TITLE + r")",
    r"三月不知|一天到晚|[三两][天日](?:两头|打鱼|捕鱼)|一日三|十月怀胎|五月[天花]|四月(?:花|是你的)|二月[红兰]|八月照相|七月半|人间四月天|三月街|五月的鲜花",
    r"今日(?:头条|说法|资本|印象|关注|看点|之声)|昨日(?:重现|之|青空)|明日(?:之后|方舟|之星|黄花|香)|后天(?:性|努力|培养|养成|教育|免疫|形成|习得)|先天(?:和|与|、)?后天|明天系|明天(?:科技|控股|会更好)|去年今日此门|今天不|前天下",
    r"星期五(?:餐厅|咖啡)|星期八|周末(?:画报|愉快|快乐|酒店)|周日均|周[一二三四五六][二三四五六]",
    r"[目以之此面眼跟空当]前[天日年]|过去年|[以之然最随背今]后[天日年]|[说表证声透光文发聪鲜分标注申阐]明[天日年]|(?:^|[^比例假譬诸])如今[天年]|如今年轻|[今去明前]年轻",
    r"一下|[样基日版书课剧副文资]本[周月季年日]|(?:^|[^生完做弄达组形编制])成本[周月季年日]|应当[周月季年日]|[线网以早晚海马身版加]上[周月季年]|[线旗名私当以之如]下[周月季年]|过去年",
    r"[今昨明前后本当]日(?:期|志|程|常|历|元|本|用|光|语|系|均)|当日达|[0-9]+[日天]均",
    r"五四(?:运动|制|青年)|九一八|七七事变|二七(?:大罢工|区)|一二九|六一(?:班|中)|八一(?:电影|起义|队)",
    r"(?:星期|周|礼拜)[一二三四五六日天](?:影|剧)",
    _FEAST + _PLACE,
    r"[十百第二三四五六七八九]五一|五一(?:[起直样些个下共旦定般次家位名份张点条只层楼号天年月周百千万块元到二三四五六七八九十0-9])",
    r"(?:春节|国庆|中秋|元旦|五一|端午|清明|圣诞|双十[一二]|双1[12]|618)(?:期间|前夕|前后|档|联欢|晚会|大阅兵|阅兵|档期)",
    r"(?:春节|国庆节?|中秋节?|元旦|五一|端午节?|清明节?|圣诞节?)(?:前一?[天日周]|后一?[天日周])",
    r"清明(?:上河图|时节|的?政治)|政治清明|圣诞(?:树|老人|帽|卡|歌|礼物|袜|鹿|夜|快乐)|春节(?:联欢|晚会|序曲|快乐)|王重阳|重阳(?:木|糕|宫)|元旦快乐|中秋(?:快乐|月饼)|端午粽",
    r"(?:农历|阴历)?初[一二三四五六七八九十](?:学|中|年级|班|数学|英语|语文|物理|化学|的?学生|下|上)",
    # numbers of things
    r"618(?:[0-9号元块个件人室路楼房米斤克条款页套台单份名级章%.：:]|万|亿|多)|(?:第|#|￥|¥|\$|编号|单号|订单|房间|房|楼|桌|款|型号|代码|共|约|近|达|卖了|售出|[0-9.,a-z-])618",
    r"(?:[路街巷弄道村苑园里第型编座栋幢楼]|大道|胡同|编号|代号|工号|学号|车牌|房|桌)[0-9一二三四五六七八九十]{1,4}号",
    r"[0-9一二三四五六七八九十]{1,4}号(?:楼|线|店|院|门|馆|仓|库|机|桌|台|房|车|柜|球|字|文件?|选手|玩家|员|床|井|矿|厅|出口|入口|口|通道|窗|国道|公路|高速|航站|病房|病床|电池|染色|位|项目|工地|工程|产品|样|方案|泵|炉|罐|坑|码|链接|技师|令|人|馆|站|仓|厂|教室|包|地块|宿舍|岛|弄|公馆|字体|针|油|汽油|柴油|钢|首长|种子|作品|女嘉宾|男嘉宾|嘉宾|主播|直播|阀|摄像|相机|屏|服务器|节点|分机|客服|模型|设备|探测|飞船|运载|火箭|卫星|空间站|舰|艇|列车|航|刀|球衣|会议|展)",
    r"(?:[东西南北]|大|小|老|天宫|神舟|嫦娥|长征|天问|头|外|内|学|账|编|型|信|挂|货|款)(?:[一二三四五六七八九十0-9]{1,3})号",
    r"[0-9]{1,2}/[0-9]{1,2}(?:的?(?:人|用户|顾客|客户|时间|门店|份|以上|左右|多|决赛|页|杯|勺|学生|员工|股|概率|机会))|(?:约|占|近|超过?|不到|第|比例|打|剩|完成|得分|评分|进度|减少|增加|率)[ :：为是]{0,2}[0-9]{1,2}/[0-9]{1,2}|24/7|50/50|80/20",
    r"(?:奥迪|audi|英菲尼迪|infiniti|sci|jcr|中科院) ?q[1-4]|q[1-4](?:区|期刊|论文|分区| journals?\b|题|问题|群)|(?:^|\n) *q[1-4] ?[:：.)]|h[12] ?(?:标签|标题|元素|数据库|tags?\b|headings?\b|headers?\b|database\b|elements?\b)",
)
_ENGLISH = (
    r"\b(?:the )?(?:first|last) (?:[0-9]{1,2}|two|three|four|five|six|seven|ten|few|couple of) (?:days|weeks|working days|business days) (?:of|in) (?:the )?(?:january|february|march|april|may|june|july|august|september|october|november|december|this|last|next|month|quarter|year|q[1-4]|20[0-9]{2})(?: (?:month|quarter|week|year|20[0-9]{2}))?\b",
    r"(?:20[0-9]{2}) ?(?:元|块|人民币|美元|万|亿|个|人|件|条|页|字|次|米|公里|yuan\b|usd\b|rmb\b|dollars?\b|euros?\b|people\b|users?\b|items?\b|units?\b|rows?\b|words?\b|tokens?\b|characters?\b|orders\b|pages\b|customers\b|steps\b|points\b|calories\b|meters\b|km\b|kg\b|ml\b|mah\b|pcs\b)",
    r"\b(?:early|mid|late|the (?:beginning|start|end|middle) of|(?:beginning|start|end|middle) of|mid-)[ -]?(?:the )?(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec|last|this|next|month|year|week|quarter|q[1-4]|20[0-9]{2}|summer|spring|autumn|fall|winter)(?: (?:week|month|quarter|year|20[0-9]{2}))?\b",
    r"\b(?:a few|several|some|a couple of|many) (?:days|weeks|months|years) (?:ago|back|later|from now)\b|\b(?:the )?(?:last|past|next|previous|recent|coming) (?:few|several|many|some) (?:days|weeks|months|years|quarters)\b|\b(?:recently|lately|the other day|these days|nowadays)\b",
    r"\bin a (?:few|couple of) (?:days|weeks|months|years)\b|\bin (?:several|some) (?:days|weeks|months|years)\b",
    r"\b(?:this time|same (?:day|time|period|week|month|quarter)(?: of)?) (?:last|this|next) (?:year|month|week|quarter)\b|\ba (?:week|month|year) ago today\b",
    r"\b(?:every|each|per|any)(?: other| single| second)? (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend|week|month|quarter|year|day|january|february|march|april|may|june|july|august|september|october|november|december|q[1-4]|working day|business day)(?: of the (?:month|week|year|quarter))?\b",
    r"\b(?:black|good|casual|super|ash|cyber|ruby|blue|bloody|freaky|holy|palm|easter|fat|shrove|maundy) (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|\bwednesday addams\b|\busa today\b|\btoday show\b|\btgi fridays?\b|\bfriday night lights\b",
    r"\b(?:the )?(?:q[1-4]|h[12]|(?:first|second|third|fourth|last) (?:quarter|half)) of (?:(?:a|an|my|our|his|her|their|its|your) |the (?:quiz|test|exam|game|match|season|book|film|movie|race|chapter|assignment|homework|paper|survey|users|customers|data|list|file|text|show|video|class|century|day|month|week))[a-z]*",
    r"\bthis (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday) (?:dress|feeling)\b",
    r"\bweek (?:one|[0-9]{1,2}) of (?:the|our|my|a|this|training|pregnancy|class)(?: [a-z]+)?\b|\b(?:pregnancy|training|course|nfl|season|game) week [0-9]{1,2}\b",
    r"\b[a-z0-9]+[- ](?:day|week|month|year|quarter)s?-old\b|\bweek-old\b|\bwithin [a-z0-9]+ (?:working |business )?(?:days?|weeks?|months?|years?)\b|\bin [0-9a-z]+ (?:days|weeks|months|years)(?:'|’| or less| time limit)",
    r"\bmarch (?:madness|hare|past)\b|\bmay (?:not|be|also|contain|differ|vary|flower|company)\b|\bsecond (?:quarter|half)-?(?:final|finals)\b",
    r"\b(?:valentine|christmas|easter|halloween)(?:'s)? (?:tree|card|carol|song|story|gift|present|decoration|market|cake|dinner|cookie|island|lights)s?\b|\bmerry christmas\b|\bhappy (?:new year|chinese new year|valentine's day|mid-autumn festival|spring festival|lunar new year|new year's day|christmas)\b",
    r"\b(?:april|june|august|may) (?:said|says|asked|told|wants|wanted|needs|smith|jones|carter|from (?:finance|sales|hr|marketing|accounting|legal|operations|support|the))\b",
    r"\[w[0-9]{1,2}\]",
    r"\b(?:the )?(?:first|second|third|fourth|fifth|last|[1-5](?:st|nd|rd|th)) (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend|week|day|working day|business day|fortnight|half) (?:of|in) (?:the )?(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec|this|last|next|month|quarter|each|every|q[1-4])(?: (?:month|quarter|week))?(?:,? (?:20[0-9]{2}|(?:last|this|next) year))?\b",
    r"\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday) week\b|\bfy ?(?:20)?[0-9]{2}[/-][0-9]{2}\b|\bclass of (?:19|20)[0-9]{2}\b|\bhalf an? (?:day|week|month|quarter|hour) (?:ago|from now)\b",
    r"\bmonday blues\b|\bnew year'?s? resolutions?\b",
)
_SURNAME_AFTER = re2.compile(r"周[一二三四五六日天][" + _SURNAME + "]")
_COMPILED = [[re2.compile(pattern) for pattern in patterns] for patterns in (_CHINESE, _ENGLISH)]


def points(text: str, *, chinese: bool, english: bool) -> Iterator[Point]:
    """Everything in the folded text that is no time."""
    for pattern in (*(_COMPILED[0] if chinese else ()), *(_COMPILED[1] if english else ())):
        for match in pattern.finditer(text):
            start, end = match.span()
            if end > start and not _SURNAME_AFTER.search(text[start : start + 3]):
                yield Point(start, end, void=True)
