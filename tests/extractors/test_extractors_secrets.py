"""Keys and passwords, and their placeholders."""

from __future__ import annotations

import pytest

from pointsman.extractors import extract

CASES = [
    ("key sk-abc123DEF456ghi789JKL0 x", [("sk-abc123DEF456ghi789JKL0", "sk-abc123DEF456ghi789JKL0")]),
    ("AKIAIOSFODNN7EXAMPLE", [("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE")]),
    ("密码是 Abc12345，记住", [("Abc12345", "Abc12345")]),
    ("password: hunter22", [("hunter22", "hunter22")]),
    ("pwd=Qwe!2345;", [("Qwe!2345", "Qwe!2345")]),
    (
        "密码是什么？ my password is wrong. password: **** api_key=<API_KEY> sk-xxxxxxxxxxxxxxxxxxxx password = getpass()",
        [],
    ),
    ("the password is tr0ub4dor&3.", [("tr0ub4dor&3", "tr0ub4dor&3")]),
    ("密码：p@ss,w0rd!x;y", [("p@ss,w0rd!x;y", "p@ss,w0rd!x;y")]),
    ("login?password=Abc12345&next=1", [("Abc12345", "Abc12345")]),
    ("我的密码忘了 password is required password reset link sk-learn-contrib-project-template", []),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
        [
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
                "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
            )
        ],
    ),
    ('{"password": "s3cret-Pass"}', [("s3cret-Pass", "s3cret-Pass")]),
    ("我的密码是 Passw0rd!", [("Passw0rd!", "Passw0rd!")]),
    ("账号admin密码admin123", [("admin123", "admin123")]),
    ("密码：qwerty123。", [("qwerty123", "qwerty123")]),
    ("密码是多少？密码错误，修改密码: 请输入", []),
    ("how to reset my password: I forgot it", []),
    ("password=<your-password> PASSWORD=${PW} pwd=xxxxxx", []),
    (
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        [("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "ghp_16C7e42F292c6912E7710c838347Ae178B4a")],
    ),
    (
        "export OPENAI_API_KEY=sk-proj-aB3dE5fG7hI9jK1lM3nO5pQ7",
        [("sk-proj-aB3dE5fG7hI9jK1lM3nO5pQ7", "sk-proj-aB3dE5fG7hI9jK1lM3nO5pQ7")],
    ),
    ("postgres://user:S3cr3tPw@db/x", [("S3cr3tPw", "S3cr3tPw")]),
    (
        "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N",
        [
            (
                "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N",
                "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N",
            )
        ],
    ),
    ("The password is required. Is my password strong?", []),
    ("密码改成了Hello2024", [("Hello2024", "Hello2024")]),
    ("密码至少8位，密码为空", []),
    ("user: bob, pass: Tiger#99", [("Tiger#99", "Tiger#99")]),
    ("passport: E12345678 compass: north1", []),
    ("the wifi password is sunshine88", [("sunshine88", "sunshine88")]),
    ("the password for the site is blue42sky", [("blue42sky", "blue42sky")]),
    ("WiFi密码12345678，初始密码：888888", [("12345678", "12345678"), ("888888", "888888")]),
    (
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        [("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")],
    ),
    ("the password for the site is wrong; passwords, passing, 密码是abc", []),
    ("api_key = os.environ['API_KEY_2024_PROD']", []),
    ("mysql -u root -pTiger77x", [("Tiger77x", "Tiger77x")]),
    ("`mysqldump -h db -P3306 -uroot -pTiger77x shop > a.sql`", [("Tiger77x", "Tiger77x")]),
    ("帮我看 mysql -uroot -pAbc@123，连不上", [("Abc@123", "Abc@123")]),
    ("mariadb-dump -p'S 3cret!' x", [("S 3cret!", "S 3cret!")]),
    ("mysql -pTiger77x; mysql -p1 -pLion88y", [("Tiger77x", "Tiger77x"), ("Lion88y", "Lion88y")]),
    ("mysql -u root -p shop; mysql -p<password> -p$PW -p${PW} -p**** -pyour_password", []),
    ("docker run --name mysql -p3306:3306 mysql:8", []),
    ("mysql -u root && ssh -p2222 host\ncp -pArchive1 x; mysql\n -pTiger77x", []),
]


@pytest.mark.parametrize(("text", "found"), CASES)
def test_secret(text: str, found: list[tuple[str, object]]) -> None:
    assert [(text[e.start : e.end], e.value) for e in extract("secret", text)] == found
