"""What comes out of each kind of file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from actions.document import written
from pointsman.actions.child.work import Room
from pointsman.actions.document.child import read
from pointsman.actions.document.task import Read, Reading
from pointsman.ports.action import ActionFailed


@pytest.fixture
def reading(tmp_path: Path) -> Any:
    def run(content: bytes, **more: Any) -> Read:
        path = tmp_path / "in"
        path.write_bytes(content)
        task = {"form": "markdown", "tables": True, "most_pages": 500, "most_characters": 200_000, **more}
        return read(Reading(path=str(path), **task), Room(tmp_path, 60))

    return run


def test_pdf(reading: Any) -> None:
    found = reading(written.pdf())
    first = found.pages[0].text
    assert (found.kind, found.unit, found.count, found.pictures) == ("pdf", "page", 3, [])
    assert first.startswith("## 年度费用报告 2026\n\n### 一、总体情况\n\n" + written.CHINESE + "\n\n" + written.ENGLISH)
    assert "\n\n- 差旅费\n- Office supplies\n\n| 部门 | 一季度 |" in first
    assert [table.rows for table in found.tables] == [written.TABLE, written.PRICES]
    assert (
        first.index("| 合计 total |  | 37,600.50 | ok |")
        < first.index("### 二、说明")
        < first.index("| Apple pie | 3 |")
    )
    assert found.pages[2].text.startswith("efficient office 附录")


def test_pdf_as_text_without_tables(reading: Any) -> None:
    found = reading(written.pdf(), form="text", tables=False)
    assert found.tables == [] and "#" not in found.pages[0].text
    assert "销售部" in found.pages[0].text and "12,300.50" in found.pages[0].text


def test_a_page_of_pictures_is_told(reading: Any) -> None:
    found = reading(written.pdf("#page()[words]\n#page(numbering: none)[#rect(fill: gray)]\n#page()[more]"))
    assert found.pictures == [2]


def test_pages(reading: Any) -> None:
    found = reading(written.pages(5000), most_pages=20)
    assert (found.count, len(found.pages), found.cut) == (5000, 20, True)
    assert "20 of 5,000" in found.notes[0].en and "5,000 页" in found.notes[0].zh
    found = reading(written.pages(30), pages=[(1, 2), (29, 99)])
    assert [(page.page, page.text) for page in found.pages] == [(n, f"Word {n}") for n in (1, 2, 29, 30)]


def test_docx(reading: Any) -> None:
    found = reading(written.docx())
    text = found.pages[0].text
    assert text.startswith("# 采购管理制度\n\n# 第一章 总则\n\n" + written.CHINESE)
    assert "- First\n- Inner\n1. one\n2. two" in text
    assert found.tables[0].rows == [["品名", "数量", "单价"], ["打印纸", "20", "18.5"], ["合计", "", "370"]]
    assert [page.page for page in found.pages] == [1, 2]
    assert found.pages[1].text == "After the break\tand a tab"


def test_pptx(reading: Any) -> None:
    found = reading(written.pptx())
    assert (found.unit, found.count) == ("slide", 2)
    assert found.pages[0].text == "## 季度总结\n\n- 收入增长\n  - East China\n- 记得提到客户"
    assert found.tables[0].page == 2 and found.tables[0].rows == [["地区", "金额"], ["华东", "1200"]]


ODT = """<office:document-content xmlns:office="urn:office" xmlns:text="urn:text" xmlns:table="urn:table"><office:body>
<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes><text:h text:outline-level="2">标题</text:h>
<text:p>一<text:s text:c="2"/>二<text:tab/>三</text:p><text:list><text:list-item><text:p>点</text:p></text:list-item></text:list>
<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>
<table:table-cell table:number-columns-repeated="2"><text:p>b</text:p></table:table-cell></table:table-row></table:table>
<text:soft-page-break/><text:p>下一页</text:p></office:body></office:document-content>"""


def test_odt(reading: Any) -> None:
    mimetype = b"application/vnd.oasis.opendocument.text"
    found = reading(written.archive(mimetype=mimetype, content_xml=ODT.encode(), **{"META-INF__manifest_xml": b"<m/>"}))
    assert found.pages[0].text == "## 标题\n\n一  二\t三\n\n- 点\n\n| a | b | b |\n| --- | --- | --- |"
    assert found.pages[1].text == "下一页"
    locked = {"META-INF__manifest_xml": b"<m><encryption-data/></m>"}
    with pytest.raises(ActionFailed, match="password"):
        reading(written.archive(mimetype=mimetype, content_xml=b"?", **locked))


def test_xlsx(reading: Any) -> None:
    found = reading(written.xlsx())
    assert [(page.page, page.name) for page in found.pages] == [(1, "预算"), (2, "Notes")]
    assert found.tables[0].rows == [
        ["部门", "金额", "日期", "完成"],
        ["销售", 1234.5, "2026-03-05", True],
        ["合计", 1234.5, "", ""],
    ]
    assert found.tables[1].rows == [["另一个表", "x"]]
    assert "hidden words" not in str(found.pages) and "1" in found.notes[0].en
    assert "a note \\| with a bar" in found.pages[1].text


@pytest.mark.parametrize("encoding", ["gb18030", "utf-8"])
def test_html(reading: Any, encoding: str) -> None:
    found = reading(written.HTML.replace("gb2312", "gb2312" if encoding == "gb18030" else "utf-8").encode(encoding))
    text = found.pages[0].text
    assert text.startswith("# 报销指南\n\n## 报销 流程\n\n请在月底前提交报销单")
    assert "- 发票\n  - 原件\n- 行程单" in text and "1. 填单\n2. 审批" in text
    assert found.tables[0].rows == [["项目", "上限"], ["住宿", "400"], ["", "600"]]
    for gone in ("菜单", "alert", "secret", "版权"):
        assert gone not in text
    assert text.endswith("a\n  b")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "big5", "utf-16", "utf-16-le"])
def test_chinese_text(reading: Any, encoding: str) -> None:
    text = (
        "會議時間改到週五下午三點，請各位準時出席。 ok\n第二行"
        if encoding == "big5"
        else written.CHINESE + " ok\n第二行"
    )
    assert reading(text.encode(encoding)).pages[0].text == text


def test_western_text(reading: Any) -> None:
    text = "Die Prüfung der Verträge läuft über das Büro in Zürich, außerdem nötig: schöne Grüße und ähnliche Wörter."
    assert reading(text.encode("cp1252")).pages[0].text == text


def test_csv_by_its_content(reading: Any) -> None:
    found = reading('编号;名称;备注\n1;笔;"a;b"\n2;纸;\n'.encode("gb18030"))
    assert found.kind == "csv" and found.tables[0].rows == [
        ["编号", "名称", "备注"],
        ["1", "笔", "a;b"],
        ["2", "纸", ""],
    ]
    assert reading(b"Dear all,\nthanks, see you,\nbye, J.\n").kind == "text"


def test_mail(reading: Any) -> None:
    found = reading(written.mail())
    assert found.kind == "eml" and "Subject: 会议纪要" in found.pages[0].text
    assert "会议改到周五下午三点。" in found.pages[0].text and "议程.pdf" in found.notes[0].zh


def test_no_more_than_wanted(reading: Any) -> None:
    found = reading(("字" * 900 + "\n\n").encode() * 100, most_characters=1000)
    assert found.cut and sum(len(page.text.replace("\n\n", "")) for page in found.pages) == 1000


def test_when_the_time_is_up_what_was_read_is_given(tmp_path: Path) -> None:
    class Late(Room):
        """A third of the time goes with each look at it."""

        @property
        def left(self) -> float:
            self.looks = getattr(self, "looks", 0) + 1
            return 9.0 if self.looks == 1 else max(9.0 - 3 * (self.looks - 1), 0)

    path = tmp_path / "in"
    path.write_bytes(written.pages(50))
    task = Reading(path=str(path), form="text", tables=True, most_pages=500, most_characters=10_000)
    found = read(task, Late(tmp_path, 9))
    assert found.cut and 1 <= len(found.pages) < 50 and "time was up" in found.notes[0].en


def test_no_file_is_read_by_its_name(reading: Any) -> None:
    assert reading(b"%PDF-1.4 is how a PDF begins".replace(b"%", b" ")).kind == "text"
