import { isolatedName } from '../../words/clean-name.ts'
import { credits } from '../../words/credits.ts'

const fa = {
  title: 'دریافت داده‌های شما',
  why: 'همهٔ آنچه این سرور از شما نگه داشته است، در یک فایل ZIP: نمایه، نشست‌ها، کلیدها، تغییرها، رسیدها و فایل‌هایی که خودتان ساخته‌اید.',
  byMail: 'وقتی آماده شد نامه‌ای می‌گیرید، و یک روز فرصت دارید آن را بردارید.',
  here: 'وقتی آماده شد همین‌جا می‌آید، و یک روز فرصت دارید آن را بردارید.',
  ask: 'آماده کردن داده‌ها',
  asked: 'درخواست شما ثبت شد.',
  list: 'خروجی‌های پیشین',
  none: 'هنوز خروجی‌ای نخواسته‌اید.',
  states: {
    queued: 'در صف',
    running: 'در حال آماده شدن',
    ready: 'آماده',
    failed: 'ساخته نشد',
    expired: 'مهلت گذشت',
  },
  from: 'خروجی',
  until: (moment: string) => `تا ${moment}`,
  download: (size: string) => `دریافت (${size})`,
  failedWhy: 'دوباره بخواهید؛ اگر باز هم نشد به گرداننده خبر دهید.',

  deleteTitle: 'حذف خودتان',
  deleteWhy:
    'نشست‌هایتان همان دم پایان می‌یابند. تا ۳۰ روز فقط برای پس‌گرفتن می‌توانید وارد شوید؛ سپس نام، نشانی‌ها، راه‌های ورود و خروجی‌های داده برای همیشه پاک می‌شوند. کلیدهای پروژه‌ای که ساخته‌اید کار می‌کنند و فایل‌هایتان در حساب‌های مشترک می‌مانند؛ کلیدهای مدیریتی‌ای که ساخته‌اید با شما پایان می‌یابند؛ رسیدها و گزارش تغییرها بدون نام شما نگه داشته می‌شوند.',
  deleteVerb: 'درخواست حذف',
  soleTitle: 'حساب‌هایی که تنها مالک آن‌هایید',
  soleWhy:
    'یا پیش از رفتن در صفحهٔ «اعضا» کس دیگری را مالک کنید، یا این حساب‌ها را هم با خود حذف کنید. حذف حساب هم ۳۰ روز برگشت‌پذیر است.',
  withMe: (name: string, credit: string, members: string) =>
    `حذف «${isolatedName(name)}» با من، با ${credit} اعتبار${members === '' ? '' : ` و ${members} عضو دیگر`}`,
  soleLeft: 'تا برای همهٔ این حساب‌ها تصمیم نگیرید، نمی‌توانید حذف خود را بخواهید.',
  dialogWhy: (day: string) => `${day} حذف می‌شوید. تا آن زمان با ورود دوباره می‌توانید پس بگیرید.`,
}

const en = {
  title: 'Get your data',
  why: 'Everything that this server stores of you, in one ZIP file: profile, sessions, keys, changes, receipts, and files that you made.',
  byMail: 'A mail tells you when it is ready, and you have a day to download it.',
  here: 'It comes here when it is ready, and you have a day to download it.',
  ask: 'Prepare my data',
  asked: 'Your request was noted.',
  list: 'Exports',
  none: 'You have not asked for any yet.',
  states: {
    queued: 'Queued',
    running: 'Being made',
    ready: 'Ready',
    failed: 'Failed',
    expired: 'Expired',
  },
  from: 'Export of',
  until: (moment: string) => `Until ${moment}`,
  download: (size: string) => `Download (${size})`,
  failedWhy: 'Ask again; if it fails once more, tell the operator.',

  deleteTitle: 'Delete yourself',
  deleteWhy:
    'Your sessions end at once. For 30 days you can sign in only to take it back; then your name, addresses, ways to sign in and exports are deleted for good. Project keys that you made go on, and your files in shared accounts stay; management keys that you made end with you; receipts and the audit log are kept without your name.',
  deleteVerb: 'Ask for deletion',
  soleTitle: 'Accounts that only you own',
  soleWhy:
    'Either make somebody else an owner on the page “Members” before you go, or have these accounts deleted with you. That can be undone for 30 days too.',
  withMe: (name: string, credit: string, members: string) =>
    `Delete ${isolatedName(name)} with me, with ${credits(credit)}${members === '' ? '' : ` and ${members} other ${members === '1' ? 'member' : 'members'}`}`,
  soleLeft: 'You can ask for your deletion once you have decided on all of these accounts.',
  dialogWhy: (day: string) => `You are deleted on ${day}. Until then you can sign in again and take it back.`,
} satisfies typeof fa

export const ownDataWords = { fa, en }
