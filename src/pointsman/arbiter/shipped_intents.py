"""The intents that ship, one for each kind of action that the product brings. Data only: written for this purpose by the
product's own engineers, from what each action does, in how employees of small firms type; docs/arbiter/training.md."""

from __future__ import annotations

from pointsman.domain.intent import Intent

_TEXTS = """
= export_report
zh: 把某段时间的业务报表做成 PDF、Excel 或 CSV 文件。
en: Make a business report for some period as a PDF, Excel or CSV file.
导出上个月的销售报表
把三季度的经营数据导成 Excel
帮我拉一份本周的订单明细，要表格
下载一下去年的利润表 PDF
老板要看月报，生成一份发我
出一张各门店的业绩汇总表
上周华东区的销售统计导成 csv
我想要一份 2024 年全年的收入报表
把今天的出库数据做成报表给我
季度总结会要用，导一份 Q2 报表
给我一份按部门分的费用报表
能不能导出近 30 天的客户增长数据
报表，上半年的，PDF
麻烦出个昨天的日报
生成库存周转报表
拉下本月各渠道的成交数据，发个 xlsx
要一份可以打印的年度汇总
财务催了，十月份的对账表导出来
把这个月和上个月的销售对比表下载下来
帮忙做一份退货统计报表，最近三个月
Export last month's sales report
Give me the Q3 numbers as an Excel file
I need a PDF of the revenue by region for this year
download the weekly order summary please
Can you pull the sales data for October into a spreadsheet?
generate the monthly report
create a csv with yesterday's orders
The boss wants the annual summary, can you make one?
report for last quarter, by product, xlsx
please prepare a printable sales overview for H1
I'd like the year to date revenue report
Pull a report of returns over the last 90 days
get me the figures per branch for last week as pdf
export orders by customer, this month
Make the daily report for Friday
can I have the sales comparison of 2023 and 2024 in a table file
send me the stock turnover report
Build a report of new customers by month
last week's figures, as a spreadsheet, thanks
I need to print the quarterly results

= calculate
zh: 算出一道数学题：四则、百分比、单位换算、方程、微积分、矩阵。
en: Work out a calculation: arithmetic, percentages, units, equations, calculus, matrices.
128 乘以 37 等于多少
帮我算一下 15% 的 3200 是多少
解方程 2x + 5 = 17
求 x^2 的导数
把 5 英里换算成公里
1800 打八五折是多少钱
计算 1 到 100 的和
华氏 98.6 度是多少摄氏度
log2(1024) 是几
三分之二加四分之一等于几
算下利息，本金五万，年利率 3.2%，存两年
求不定积分 sin(x) cos(x)
2 的 20 次方
这个矩阵的行列式 [[1,2],[3,4]]
从 860 涨到 1032，增长了百分之几
因式分解 x^2-5x+6
根号 50 化简
一共 47 个人，每人 68 块，总共多少
半径 3.5 的圆面积多大
x+y=10, x-y=4，求 x 和 y
what is 17 times 23
calculate 8% of 1250
solve x^2 - 4x + 3 = 0
How many kilometers is 26.2 miles?
derivative of x^3 + 2x
What's 12.5 percent off 340?
sum of the squares from 1 to 20
integrate 1/x dx from 1 to e
convert 72 F to celsius
square root of 2209
If 14 boxes weigh 9.8 kg each, what is the total weight?
(3 + 4i) * (2 - i)
invert the matrix [[2, 1], [5, 3]]
How much is 3/8 + 5/12?
compound interest on 10000 at 4% for 5 years
factor x^2 + 7x + 12
what is 2 to the power of 16
sin of 30 degrees
percentage change from 420 to 483
limit of sin(x)/x as x goes to 0

= review_sql
zh: 检查一条 SQL：有没有错、危险不危险、怎么更快。
en: Look over an SQL statement: mistakes, risks, and how to make it faster.
帮我看看这条 SQL 有没有问题：SELECT * FROM orders WHERE status = 1
优化一下这段 SQL
这个查询跑了三分钟，怎么改快一点
DELETE FROM users 这样执行安全吗
检查下这个语句会不会锁表：UPDATE stock SET qty = qty - 1
SELECT a.id, b.name FROM a, b 这个写法有什么风险
慢查询，帮忙分析下该加什么索引
这条 join 结果怎么重复了，帮我审一下
sql 报语法错误，看看哪里写错了
上线前帮我 review 一下这个建表语句
explain 显示全表扫描，怎么优化：select name from customer where phone like '%138%'
group by 之后金额对不上，语句在下面
这条 DROP TABLE tmp_2023 能跑吗
看下这段存储过程里的查询能不能提速
SELECT count(*) FROM log WHERE date(created_at) = '2024-05-01' 为什么慢
帮我把这个子查询改成 join
这句 sql 在 MySQL 和 Postgres 上都能用吗
分页查询 limit 1000000, 20 太慢了
insert into ... select 这样写会不会丢数据，帮我把把关
索引都建了还是慢，语句：select * from t where a = 1 or b = 2
Please review this SQL: SELECT * FROM users WHERE id IN (SELECT user_id FROM orders)
optimize this query for me
Why is this query so slow? select * from logs order by created_at desc
is it safe to run DELETE FROM sessions WHERE expired = 1
Check my SQL for mistakes
what index should I add for select name from customers where city = 'Berlin' and age > 30
this join returns duplicates, can you look at it
UPDATE accounts SET balance = 0 – anything wrong with that?
rewrite this subquery as a join please
SQL syntax error near FROM, what did I write wrong?
Would this statement lock the table? ALTER TABLE orders ADD COLUMN note text
review my create table before I run it in production
the execution plan shows a full table scan, help
Can you make this aggregate query faster: select region, sum(amount) from sales group by region
does this work on PostgreSQL as well as MySQL?
look over this statement: TRUNCATE TABLE archive
my left join behaves like an inner join, here is the sql
is there an injection risk in "SELECT * FROM users WHERE name = '" + name + "'"
slow pagination with OFFSET 500000, how do I fix the query
Tune this: select distinct customer_id from orders where year(order_date) = 2024

= read_document
zh: 读一份附上的文档（PDF、Word、Excel、网页），把文字、表格或要点取出来。
en: Read an attached document (PDF, Word, Excel, web page) and take out its text, tables or main points.
帮我看看这份合同里写了什么
把这个 PDF 的文字提取出来
总结一下附件
附件里的表格帮我取出来
这份 Word 文档主要讲什么
读一下这个文件，付款期限是哪天
从这份 PDF 里找出甲方的名称
上传的标书有多少页，重点是什么
把附件第三页的内容给我
这个 Excel 里有几个工作表
简历发你了，提取一下联系方式和工作经历
帮我把扫描件里的文字弄出来
看看附件里有没有提到违约金
这份会议纪要里有哪些待办
把 docx 里的正文转成纯文本
我上传了说明书，电源规格是多少
读取这个 csv 的前几行
把报价单里的明细列出来
附件是英文的说明，里面的保修条款是什么
这份文件的结论是什么
Read this PDF and tell me what it says
extract the text from the attached document
Summarize the attached file
what is the payment deadline in this contract?
get the tables out of this pdf
Pull the names and dates from the attachment
how many pages does the uploaded document have, and what is it about
find the termination clause in the attached agreement
please read the Word file I uploaded
convert this docx to plain text
What are the action items in these attached minutes?
list the sheets in this Excel file
the invoice is attached, what is the total amount on it
take the contact details from this resume
does the attachment mention a penalty
give me the content of page 4
extract line items from the attached quotation
Which warranty terms are in the manual I uploaded?
open the attached report and give me the key figures
read the html file and get its main text

= convert_media
zh: 处理附上的音频或视频：转换格式、截取一段、取出声音、做封面图。
en: Work on an attached audio or video file: convert it, cut it, take out the sound, make a thumbnail.
把这个视频转成 mp4
从视频里提取音频
截取前 30 秒
帮我把 wav 转成 mp3
这个录像剪一下，只要 1 分 20 秒到 2 分
给视频做一张封面缩略图
mov 文件压缩成小一点的 mp4
录音转成 16k 的 wav
去掉视频的声音
把会议录像的声音单独存成 mp3
视频太大发不出去，压缩一下
取视频第 10 秒的画面存成图片
flac 转 m4a
把附件的 avi 换成手机能放的格式
剪掉片头的 5 秒
音频裁成一分钟
这段录屏转成 gif
把视频分辨率降到 720p
amr 录音手机打不开，转成 mp3
视频里截一张图当封面
convert this video to mp4
extract the audio from the attached clip
Trim the recording to the first two minutes
turn this wav into an mp3
make a thumbnail of the video
compress the attached video, it's too big to mail
cut the part from 0:45 to 1:30
I need the soundtrack of this movie file as mp3
change the mov to something Windows can play
take a still from the video at 12 seconds
remove the sound from this clip
convert flac to m4a please
resize the video to 720p
Get rid of the first 5 seconds of the attached video
transcode this avi
make the audio file mono 16 kHz
save the voice memo as mp3
create a cover picture from the attached mp4
split off the audio track
shorten this audio to one minute

= draw_image
zh: 按描述画一张图片。
en: Draw a picture from a description.
画一只在月亮上的猫
帮我生成一张春节海报
来一张赛博朋克风格的城市夜景图
设计一个咖啡店的 logo
画个卡通小狗，戴帽子的
生成一张公司年会的背景图
给我画一幅水墨山水
做一张产品宣传图，主角是一瓶果汁
想要一张日落海边的图片
画一个可爱的机器人头像
帮我出一张双十一促销的配图
用油画风格画一束向日葵
生成图片：雪山下的木屋
画张插画，主题是团队合作
给公众号文章配一张封面图，科技感的
帮我画个吉祥物，熊猫
来张图，一个女孩在雨中打伞
做个生日贺卡的图案
画一条中国龙
想看看未来的汽车长什么样，画一张
draw a cat sitting on the moon
generate an image of a futuristic city at night
Create a logo for a coffee shop
make a picture of a sunset over the sea
I want an illustration of people working together
paint a bunch of sunflowers in the style of an oil painting
Design a poster for our company party
please draw me a cute robot avatar
give me an image: wooden cabin below snowy mountains
generate a banner with autumn leaves
a watercolor of an old bridge in Venice, please
can you sketch a dog with a hat
produce a product shot of a juice bottle on a marble table
picture of a dragon flying over a castle
make a birthday card image with balloons
Create a mascot, a friendly panda
draw a flat icon of a calendar
render a spaceship landing on Mars
an abstract wallpaper in blue and gold, generate it
I need artwork for the cover of our newsletter

= ask_faq
zh: 问公司内部常见问题：制度、流程、办公设施、系统怎么用。
en: Ask a common question about the company: rules, procedures, facilities, how to use its systems.
年假有几天
怎么申请报销
公司 Wi-Fi 密码是多少
打印机怎么连
VPN 连不上怎么办
工资几号发
忘记密码怎么重置
会议室怎么预定
入职要带什么材料
病假需要证明吗
停车证在哪里办
加班有没有调休
发票抬头写什么
社保公积金什么时候交
出差住宿标准是多少
门禁卡丢了找谁
试用期多长
怎么开在职证明
电脑坏了找哪个部门
请假流程是什么
How many vacation days do I get?
how do I file an expense claim
what is the office wifi password
How can I connect to the printer?
My VPN doesn't connect, what should I do
when is payday
how do I reset my password
where can I book a meeting room
Do I need a doctor's note for sick leave?
what is the dress code
who do I contact about a lost badge
How does parking work here?
what's the hotel limit on business trips
is overtime paid
how do I get a proof of employment letter
where do I report a security incident
What do I need to bring on my first day?
who approves software purchases
what are the office hours
how long is the probation period
"""


def shipped_intents() -> dict[str, Intent]:
    """By name."""
    found: dict[str, Intent] = {}
    for block in _TEXTS.split("\n= ")[1:]:
        name, *lines = block.strip().split("\n")
        about = dict(line.split(": ", 1) for line in lines[:2])
        found[name] = Intent(name, about, tuple(line for line in lines[2:] if line))
    return found
