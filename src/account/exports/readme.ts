const english = `Your data at Kherad
===================

This archive has everything that this server stores of you as a person, at the moment at which it was made.

profile.json      your name, addresses, phone number, ways to sign in, second factors, sessions and browsers
accounts.json     the accounts of which you are a member, with your role
invitations.json  invitations that you gave or accepted; addresses of others are shortened
keys.json         the API and management keys that you made, and those by which your sessions pay
mails.json        mails that were sent to you in the last 30 days, without what they said
texts.json        text messages that were sent to you in the last 7 days, without what they said
audit.json        changes that you made, as they stand in the audit log
requests.json     receipts of the paid requests of your sessions; amounts are micro-credits (1,000,000 are a credit)
conversations.json  what you talked about with models: your conversations; of projects that you may use now
messages.json     their messages, with all that was written in them
files.json        the files in the folder files, with their sizes and SHA-256
files/            files that your sessions uploaded, or that their requests and runs made, by project; of projects that you may use now
summary.json      how many rows each list has

Lists are JSON arrays with one row a line, in UTF-8. Times are UTC.

What is not in it: passwords, secrets of keys and factors, and codes, of which the server has only hashes or sealed values; prompts and answers of API calls,
which it does not keep; what API keys did, which belongs to their account; app back-ends, websites, agents and knowledge, which belong to an account too and can be
downloaded there. A file whose bytes are gone stands in files.json without a path.
`

const persian = `داده‌های شما در خرد
===================

این بایگانی همهٔ چیزهایی را دارد که این سرور در زمان ساختن آن از شما، به‌عنوان یک شخص، نگه داشته است.

profile.json      نام، نشانی‌ها، شمارهٔ تلفن، راه‌های ورود، مرحله‌های دوم ورود، نشست‌ها و مرورگرهای شما
accounts.json     حساب‌هایی که عضو آن‌هایید، با نقش شما
invitations.json  دعوت‌هایی که داده یا پذیرفته‌اید؛ نشانی دیگران کوتاه شده است
keys.json         کلیدهای API و مدیریتی که ساخته‌اید، و کلیدهایی که نشست‌هایتان با آن‌ها می‌پردازند
mails.json        نامه‌هایی که در ۳۰ روز گذشته برایتان رفته است، بدون متن آن‌ها
texts.json        پیامک‌هایی که در ۷ روز گذشته برایتان رفته است، بدون متن آن‌ها
audit.json        تغییرهایی که داده‌اید، آن‌گونه که در گزارش تغییرها آمده است
requests.json     رسید درخواست‌های پولی نشست‌هایتان؛ مبلغ‌ها به میکرواعتبارند (هر ۱٬۰۰۰٬۰۰۰ یک اعتبار)
conversations.json  گفت‌وگوهای شما با مدل‌ها؛ از پروژه‌هایی که اکنون به آن‌ها دسترسی دارید
messages.json     پیام‌های آن‌ها، با هرچه در آن‌ها نوشته شده است
files.json        فهرست فایل‌های پوشهٔ files، با اندازه و SHA-256
files/            فایل‌هایی که نشست‌هایتان فرستاده‌اند یا درخواست‌ها و اجراهایشان ساخته‌اند، به تفکیک پروژه؛ از پروژه‌هایی که اکنون به آن‌ها دسترسی دارید
summary.json      شمار سطرهای هر فهرست

فهرست‌ها آرایهٔ JSON با UTF-8 هستند، هر سطر یک ردیف. زمان‌ها UTC هستند.

آنچه در آن نیست: گذرواژه، راز کلیدها و مرحله‌های دوم ورود و کدها، که سرور فقط درهم‌ساخته یا مهرشدهٔ آن‌ها را دارد؛ پرسش‌ها و پاسخ‌های API، که نگه داشته نمی‌شوند؛
کارهای کلیدهای API، که از آنِ حساب است؛ بک‌اندها، سایت‌ها، عامل‌ها و دانش، که آن‌ها هم از آنِ حساب‌اند و از همان‌جا دریافت می‌شوند. فایلی که بایت‌هایش از میان
رفته است در files.json بدون path می‌آید.
`

/** What is in the archive and what is not, in one of the languages. */
export const readme = (language: 'fa' | 'en'): string => (language === 'fa' ? persian : english)
