"""Whether a question asks for a picture to be drawn, or only speaks of pictures. Pure."""

from __future__ import annotations

from typing import Any

import re2

_PICTURE = r"图|图片|图像|插画|海报|头像|照片|壁纸|漫画|油画|水彩画|素描|线稿|表情包|封面|底图|贺卡|一幅画|\blogo\b"
_COUNT = r"(?:一|两|二|三|四|五|[2-9])"
_MEASURE = r"(?:张|幅|个|只|组|套|座|棵|朵|匹|条|头|位|架|辆|艘|间|片|块|群|些)"
_ONE = rf"{_COUNT}?{_MEASURE}"
_THINGS = (
    r"(?:image|picture|photo|illustration|drawing|logo|poster|avatar|wallpaper|icon|cartoon|painting|clip ?art|line art|"
    r"pixel art|digital art|artwork|portrait|banner|mascot)"
)
_MAKE = (
    r"(?:generate|generte|genrate|create|make|design|produce|render|whip up|put together|come up with|give me|need|want|"
    r"would like|'d like|turn [^.;?\n]{0,60} into)"
)
_STYLE = (
    r"(?:photorealistic|black and white|watercolou?r|oil|3d|isometric|flat|vintage|cartoon|line|pixel|digital|dall-?e style|"
    r"minimalist|picture|image|illustration|drawing)"
)
_ASKS: Any = re2.compile(
    # 画一张海报, 做个 logo
    rf"(?i)(?:画|绘制|绘|生成|制作|创作|设计|做|出|弄|搞|整)(?:出|成|一下)?{_ONE}?[^,，.。;；?？\n]{{0,20}}?(?:{_PICTURE})|"
    # 给我画一只猫, 你画：…
    rf"(?:帮我|给我|请|来|你|^|[，,：: ])画(?:出|给我看|[:：]|{_ONE})|画(?:给我看|出(?:你|来))|"
    # 用AI画一只猫
    rf"画(?:出|下)?{_COUNT}{_MEASURE}|"
    # 来张壁纸, 要一幅画
    rf"(?:^|[，,我要来想])(?:来|要|想要|需要|出){_ONE}[^,，.。;；?？\n]{{0,16}}?(?:{_PICTURE})|"
    # 邀请函的背景图，帮生成一下
    rf"(?:{_PICTURE})[^.。;；?？\n]{{0,30}}?(?:帮我?|麻烦)?(?:生成|画)(?:一下|一张|出来)|"
    # 水彩风格的西湖，出一张
    r"(?:风格|画风|质感)[^.。;；?？\n]{0,20}?(?:出|来|画|生成)一(?:张|幅)|"
    # 素描一个苹果, 用水墨画的形式表现
    r"(?:^|请|帮我|给我|用)(?:素描|速写|手绘|水彩|水墨画?|油画)(?:的形式|的方式)?(?:画|表现|描绘|一)|"
    r"\b(?:draw|paint|sketch|illustrate)\s*"
    r"(?:(?:me\s+)?(?:an?|the|some|my|like|one|two|three|four|us|this|that|it)\b|[\x{4e00}-\x{9fff}])|"
    r"\brender (?:me )?(?:an?|the)\b|"
    rf"\b{_MAKE}\b[^.;?\n]{{0,60}}\b{_THINGS}s?\b|"
    # a poster for the party, make one
    rf"\b(?:{_THINGS}|visual|photorealistic)s?\b[^;?\n]{{0,90}}"
    r"\b(?:(?:make|create|generate|draw|produce|render) (?:it|one|that|this)|please|plz|pls)\b|"
    # line art of a rose
    rf"^(?:an? )?{_STYLE}\b[^.;?\n]{{0,30}}\b(?:of|render|art|picture|image|illustration|portrait)\b|"
    r"\bart request\b"
)
_ANOTHER: Any = re2.compile(
    r"(?i)流程图|示意图(?:[^片]|$)|架构图|时序图|思维导图|甘特图|饼图|柱状图|折线图|图表|截图|地图|图纸|代码|函数|脚本|怎么|如何|"
    r"为什么|教程|不要图|别画|别生成|不用画|不要画|软件|工具|哪个好|版权|上次|之前|刚才|昨天|尺寸要求|多少钱|贵吗|想学|大饼|画像|"
    r"画龙点睛|画蛇添足|文案|宣传语|压缩|邮件|表格|打不开|附件|这[张幅句]|那[张幅]|视频|影片|"
    r"\b(?:chart|diagram|graph|code|function|javascript|python|svg|mermaid|plot|how|why|don't|do not|what's|who|which|"
    r"prompt|caption|alt text|attached|screenshot|docker|backup|scan|words|big picture|get the picture|picture this|"
    r"draw (?:a )?(?:conclusion|attention|up|on|the line|inspiration)|freelancer|licen[cs]es?|contract|survey|policy|email|"
    r"summari[sz]e|translate|explain|extract|describe|resize|count|video|film|frame)\b"
)
"""Pictures that are no drawings, what is asked about pictures, and phrases that only sound so."""


def asks_for_picture(question: bytes) -> bool:
    """In UTF-8."""
    return bool(_ASKS.search(question)) and not _ANOTHER.search(question)
