"""Two rules in the flat form, as they were published."""

FLAT_RULES = """\
- id: export_pdf
  pattern: [导出, 生成, PDF, 报表, 文档]
  time_keywords: [今天, 昨天, 本周, 上周, 本月, 上月, Q1, Q2]
  action: export_pdf
  priority: 95
- id: code_review
  pattern: [检查, review, bug, 漏洞, 安全]
  code_extensions: [.py, .js, .java]
  action: code_review
  priority: 88
"""
