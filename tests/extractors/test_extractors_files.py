"""File names: where they begin in Chinese, and what only looks like one."""

from __future__ import annotations

import pytest

from pointsman.extractors import extract

CASES = [
    ("see report.pdf.", [("report.pdf", {"name": "report.pdf", "extension": "pdf"})]),
    ("把销售表.xlsx发我", [("销售表.xlsx", {"name": "销售表.xlsx", "extension": "xlsx"})]),
    ("C:\\data\\a.csv", [("a.csv", {"name": "a.csv", "extension": "csv"})]),
    ("archive.tar.gz", [("archive.tar.gz", {"name": "archive.tar.gz", "extension": "gz"})]),
    ("请帮我打开会议纪要final.docx", [("会议纪要final.docx", {"name": "会议纪要final.docx", "extension": "docx"})]),
    ("example.com e.g. 3.10 v1.2 obj.method() list.sort() df.to_csv()", []),
    ("Please stop.go away. I like it.so do you", []),
    (
        "a.csv和b.csv",
        [("a.csv", {"name": "a.csv", "extension": "csv"}), ("b.csv", {"name": "b.csv", "extension": "csv"})],
    ),
    ("我看了data.csv", [("data.csv", {"name": "data.csv", "extension": "csv"})]),
    (
        'open "my annual report.pdf" now',
        [("my annual report.pdf", {"name": "my annual report.pdf", "extension": "pdf"})],
    ),
    ("Node.js and Vue.js", []),
    ("/home/u/main.py:12", [("main.py", {"name": "main.py", "extension": "py"})]),
    ("数据分析.xlsx", [("数据分析.xlsx", {"name": "数据分析.xlsx", "extension": "xlsx"})]),
    ("分析销售分析报告.pdf", [("销售分析报告.pdf", {"name": "销售分析报告.pdf", "extension": "pdf"})]),
    ("report(1).PDF", [("report(1).PDF", {"name": "report(1).PDF", "extension": "pdf"})]),
    (
        "保存为结果.json，再导出成out.csv",
        [
            ("结果.json", {"name": "结果.json", "extension": "json"}),
            ("out.csv", {"name": "out.csv", "extension": "csv"}),
        ],
    ),
    ("console.log is fine; a@b.com", []),
    ("《合同 终稿.docx》", [("合同 终稿.docx", {"name": "合同 终稿.docx", "extension": "docx"})]),
    (
        "运行main.py和test_a.py",
        [("main.py", {"name": "main.py", "extension": "py"}), ("test_a.py", {"name": "test_a.py", "extension": "py"})],
    ),
    (
        "帮我总结一下年度报告2023.docx的内容",
        [("年度报告2023.docx", {"name": "年度报告2023.docx", "extension": "docx"})],
    ),
    ("查看D:\\工作\\项目计划.pptx", [("项目计划.pptx", {"name": "项目计划.pptx", "extension": "pptx"})]),
    (
        "读取 ./src/app/index.tsx 和 package.json",
        [
            ("index.tsx", {"name": "index.tsx", "extension": "tsx"}),
            ("package.json", {"name": "package.json", "extension": "json"}),
        ],
    ),
    ("visit google.com or baidu.cn, ping api.example.org", []),
    ("str.format() arr.map(x) i.e. vs. etc. U.S. 3.14", []),
    ("把照片IMG_001.JPG压缩", [("IMG_001.JPG", {"name": "IMG_001.JPG", "extension": "jpg"})]),
    (
        "convert video.mp4 to audio.mp3",
        [
            ("video.mp4", {"name": "video.mp4", "extension": "mp4"}),
            ("audio.mp3", {"name": "audio.mp3", "extension": "mp3"}),
        ],
    ),
    ("请将合同.pdf翻译成英文", [("合同.pdf", {"name": "合同.pdf", "extension": "pdf"})]),
    ("请翻译 README.md", [("README.md", {"name": "README.md", "extension": "md"})]),
    ("我的简历.pdf", [("简历.pdf", {"name": "简历.pdf", "extension": "pdf"})]),
    ("删除old_data-v2.1.csv吧", [("old_data-v2.1.csv", {"name": "old_data-v2.1.csv", "extension": "csv"})]),
    ("I finished the task.Then went home.", []),
    ("import os.path; np.array([1]); self.data", []),
    ("用Excel打开库存.xls", [("库存.xls", {"name": "库存.xls", "extension": "xls"})]),
    ("将来计划.docx", [("将来计划.docx", {"name": "将来计划.docx", "extension": "docx"})]),
    ("附件是报价单.xlsx，请查收", [("报价单.xlsx", {"name": "报价单.xlsx", "extension": "xlsx"})]),
    ("save it as output.json", [("output.json", {"name": "output.json", "extension": "json"})]),
    ("Is it in config.yaml?", [("config.yaml", {"name": "config.yaml", "extension": "yaml"})]),
    (
        "请帮我把今天的日报.docx转成PDF，再对比2023年报.pdf",
        [
            ("日报.docx", {"name": "日报.docx", "extension": "docx"}),
            ("2023年报.pdf", {"name": "2023年报.pdf", "extension": "pdf"}),
        ],
    ),
    (
        "读取data.json然后写到out.xlsx",
        [
            ("data.json", {"name": "data.json", "extension": "json"}),
            ("out.xlsx", {"name": "out.xlsx", "extension": "xlsx"}),
        ],
    ),
    ("console.log, self.key, math.log", []),
    ("看一下这个错误日志error.log", [("error.log", {"name": "error.log", "extension": "log"})]),
]


@pytest.mark.parametrize(("text", "found"), CASES)
def test_file(text: str, found: list[tuple[str, object]]) -> None:
    assert [(text[e.start : e.end], e.value) for e in extract("file", text)] == found
