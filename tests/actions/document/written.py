"""Files as office programs and people write them, made with the programs' own libraries."""

from __future__ import annotations

import functools
import io
import zipfile
from email.message import EmailMessage
from pathlib import Path

import justmytype_intl_cjk
import typst
from docx import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from pptx import Presentation
from pptx.util import Inches
from xlsxwriter import Workbook

CHINESE = (
    "本报告汇总了公司各部门二〇二六年的费用情况，包括差旅、办公、采购与培训四大类。与上一年度相比，"
    "总费用下降了百分之三点二，主要原因是差旅标准调整与线上会议的普及。"
)
ENGLISH = (
    "This is an English paragraph that is long enough to be broken over several lines of the page, so that the lines have "
    "to be joined again into one paragraph by whoever reads the file."
)
TYPST = f"""
#set page(paper: "a4", numbering: "1")
#set text(font: "Noto Sans SC", size: 10.5pt)
= 年度费用报告 2026
== 一、总体情况
{CHINESE}

{ENGLISH}

- 差旅费
- Office supplies

#table(columns: 4, [部门], [一季度], [二季度], [备注], [销售部], [12,300.50], [9,800.00], [含展会 费用较高],
  [研发部], [8,000], [7,500], [], table.cell(colspan: 2)[合计 total], [37,600.50], [ok])

== 二、说明
后面的文字。

#table(columns: (1fr, 1fr, 1fr), stroke: none, table.hline(), [Name], [Qty], [Price], table.hline(),
  [Apple pie], [3], [4.50], [Pear], [10], [1.20], table.hline())
#pagebreak()
#rect(width: 60%, height: 30%, fill: gray)
#pagebreak()
efficient office 附录
"""
TABLE = [
    ["部门", "一季度", "二季度", "备注"],
    ["销售部", "12,300.50", "9,800.00", "含展会 费用较高"],
    ["研发部", "8,000", "7,500", ""],
    ["合计 total", "", "37,600.50", "ok"],
]
PRICES = [["Name", "Qty", "Price"], ["Apple pie", "3", "4.50"], ["Pear", "10", "1.20"]]


@functools.cache
def pdf(source: str = TYPST) -> bytes:
    fonts = [str(path.parent) for path in Path(justmytype_intl_cjk.__file__).parent.rglob("*.[to]tf")][:1]
    return bytes(typst.compile(source.encode(), font_paths=fonts))


def pages(count: int) -> bytes:
    """A PDF of so many pages with a word on each, written by hand: no library is that fast."""
    kids = b" ".join(b"%d 0 R" % (10 + 2 * n) for n in range(count))
    parts = [
        (1, b"<</Type/Catalog/Pages 2 0 R>>"),
        (2, b"<</Type/Pages/Count %d/Kids[%b]>>" % (count, kids)),
        (3, b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"),
    ]
    for n in range(count):
        content = b"BT /F 12 Tf 72 720 Td (Word %d) Tj ET" % (n + 1)
        page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</Font<</F 3 0 R>>>>>>"
        parts.append((10 + 2 * n, page % (11 + 2 * n)))
        parts.append((11 + 2 * n, b"<</Length %d>>stream\n%b\nendstream" % (len(content), content)))
    return _assembled(parts)


def _assembled(parts: list[tuple[int, bytes]]) -> bytes:
    out, places = bytearray(b"%PDF-1.7\n"), {}
    for number, body in parts:
        places[number] = len(out)
        out += b"%d 0 obj%b endobj\n" % (number, body)
    start, size = len(out), max(places) + 1
    out += b"xref\n"
    for number in sorted(places):
        out += b"%d 1\n%010d 00000 n \n" % (number, places[number])
    out += b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, start)
    return bytes(out)


def docx() -> bytes:
    document = Document()
    document.add_heading("采购管理制度", 0)
    document.add_heading("第一章 总则", 1)
    document.add_paragraph(CHINESE)
    document.add_paragraph("First", style="List Bullet")
    document.add_paragraph("Inner", style="List Bullet 2")
    document.add_paragraph("one", style="List Number")
    document.add_paragraph("two", style="List Number")
    table = document.add_table(rows=3, cols=3)
    for row, values in zip(
        table.rows, (["品名", "数量", "单价"], ["打印纸", "20", "18.5"], ["合计", "", "370"]), strict=True
    ):
        for cell, value in zip(row.cells, values, strict=True):
            cell.text = value
    table.rows[2].cells[0].merge(table.rows[2].cells[1])
    document.add_page_break()
    paragraph = document.add_paragraph("After the break")
    gone = OxmlElement("w:del")
    run = OxmlElement("w:r")
    text = OxmlElement("w:delText")
    text.text = "deleted words"
    run.append(text)
    gone.append(run)
    paragraph._p.append(gone)
    paragraph.add_run("\tand a tab").font.bold = True
    assert paragraph._p.find(qn("w:r")) is not None
    return _saved(document)


def pptx() -> bytes:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "季度总结"
    body = slide.placeholders[1].text_frame
    body.text = "收入增长"
    inner = body.add_paragraph()
    inner.text, inner.level = "East China", 1
    slide.notes_slide.notes_text_frame.text = "记得提到客户"
    second = deck.slides.add_slide(deck.slide_layouts[5])
    second.shapes.title.text = "Figures"
    table = second.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(5), Inches(1)).table
    for place, value in enumerate(["地区", "金额", "华东", "1200"]):
        table.cell(place // 2, place % 2).text = value
    return _saved(deck)


def xlsx() -> bytes:
    out = io.BytesIO()
    with Workbook(out, {"in_memory": True}) as book:
        sheet = book.add_worksheet("预算")
        sheet.write_row(1, 1, ["部门", "金额", "日期", "完成"])
        sheet.write_row(2, 1, ["销售", 1234.5])
        sheet.write_datetime(
            2, 3, __import__("datetime").datetime(2026, 3, 5), book.add_format({"num_format": "yyyy-mm-dd"})
        )
        sheet.write_boolean(2, 4, True)
        sheet.write_row(3, 1, ["合计"])
        sheet.write_formula(3, 2, "=SUM(C3:C3)", None, 1234.5)
        sheet.write_row(6, 1, ["另一个表", "x"])
        hidden = book.add_worksheet("secret")
        hidden.write(0, 0, "hidden words")
        hidden.hide()
        book.add_worksheet("Notes").write(0, 0, "a note | with a bar")
    return out.getvalue()


def wide_xlsx() -> bytes:
    """Two cells, at both ends of the largest sheet."""
    out = io.BytesIO()
    with Workbook(out, {"in_memory": True}) as book:
        sheet = book.add_worksheet("wide")
        sheet.write(0, 0, "a")
        sheet.write(1048575, 16383, "b")
    return out.getvalue()


_MORE = "员工应当附上发票原件、行程单和审批记录，财务部在五个工作日内完成审核并付款。" * 6
HTML = f"""<!DOCTYPE html><html><head><meta charset="gb2312"><title>报销指南</title><style>p{{}}</style></head><body>
<nav><a href="/">首页</a> 菜单</nav><script>alert("x")</script>
<main><h2>报销   流程</h2><p>请在<b>月底</b>前提交报销单，逾期不予受理。
{_MORE}</p><ul><li>发票<ul><li>原件</li></ul></li><li>行程单</li></ul>
<ol><li>填单</li><li>审批</li></ol><table><tr><th>项目</th><th>上限</th></tr>
<tr><td rowspan=2>住宿</td><td>400</td></tr><tr><td>600</td></tr></table>
<p hidden>secret</p><pre>a
  b</pre></main><footer>版权</footer></body></html>"""


def mail() -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@example.com", "b@example.com", "会议纪要"
    message.set_content("各位好：\n\n会议改到周五下午三点。\n")
    message.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="议程.pdf")
    return bytes(message)


def archive(**members: bytes) -> bytes:
    """Names with `__` for a slash and `_` for a point."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name.replace("__", "/").replace("_", "."), content)
    return out.getvalue()


TYPES = b'<Types><Override PartName="/word/document.xml" ContentType="wordprocessingml.document.main+xml"/></Types>'


def document_xml(body: bytes, head: bytes = b"") -> bytes:
    """A Word file of that body, and no more."""
    start = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("[Content_Types].xml", TYPES)
        file.writestr("word/document.xml", head + start + body + b"</w:body></w:document>")
    return out.getvalue()


def _saved(document: object) -> bytes:
    out = io.BytesIO()
    document.save(out)  # type: ignore[attr-defined]
    return out.getvalue()
