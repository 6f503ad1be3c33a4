import type { Localized } from '#platform/errors'

/** Why no jail can be built here, and what to do. */
export const refusals = {
  otherSystem: (system: string): Localized => ({
    en: `the jail of functions needs Linux, and this is ${system}; run this service (or hosts of its functions) on Linux, or set functions.mode: unsafe_dev on a machine where only your own code runs`,
    fa: `زندان تابع‌ها به لینوکس نیاز دارد و این سیستم ${system} است؛ سرویس (یا میزبان تابع‌هایش) را روی لینوکس اجرا کنید، یا روی دستگاهی که تنها کد خودتان در آن اجرا می‌شود functions.mode: unsafe_dev بگذارید`,
  }),
  otherProcessor: (processor: string): Localized => ({
    en: `the jail of functions knows the processors x64 and arm64, and this is ${processor}`,
    fa: `زندان تابع‌ها پردازنده‌های x64 و arm64 را می‌شناسد و این ${processor} است`,
  }),
  noTool: (tool: string, from: string): Localized => ({
    en: `the program ${tool} is missing here; install the package ${from}`,
    fa: `برنامهٔ ${tool} اینجا نیست؛ بستهٔ ${from} را نصب کنید`,
  }),
  noNamespaces: {
    en: 'this system lets bubblewrap make no namespaces; allow user namespaces (on Ubuntu an AppArmor profile for bwrap), or run the host of functions as root',
    fa: 'این سیستم به bubblewrap اجازهٔ ساختن فضای نام نمی‌دهد؛ فضای نام کاربری را مجاز کنید (در اوبونتو پروفایل AppArmor برای bwrap)، یا میزبان تابع‌ها را با کاربر root اجرا کنید',
  },
  inContainer: {
    en: 'this container lets bubblewrap make no namespaces; give the container of functions the options of docs/operations/cloud.md, or run its functions on a host of their own',
    fa: 'این کانتینر به bubblewrap اجازهٔ ساختن فضای نام نمی‌دهد؛ گزینه‌های docs/operations/cloud.md را به کانتینر تابع‌ها بدهید، یا تابع‌ها را روی میزبانی جدا اجرا کنید',
  },
  leaks: (what: string): Localized => ({
    en: `a program broke out of the jail in the test at the start (${what}); no function runs here until it holds`,
    fa: `برنامه‌ای در آزمون آغاز از زندان گریخت (${what})؛ تا زندان نگه ندارد هیچ تابعی اینجا اجرا نمی‌شود`,
  }),
  silent: {
    en: 'the test of the jail did not end as it should, and is done again by itself every few seconds; the log of the server says how it ended',
    fa: 'آزمون زندان چنان که باید پایان نیافت و هر چند ثانیه خودبه‌خود تکرار می‌شود؛ گزارش سرور می‌گوید چگونه پایان یافت',
  },
  underWay: {
    en: 'the test of the jail at the start has not ended yet; send it again in a few seconds',
    fa: 'آزمون زندان در آغاز هنوز پایان نیافته است؛ چند ثانیهٔ دیگر دوباره بفرستید',
  },
} satisfies Record<string, Localized | ((...words: string[]) => Localized)>
