import type { Localized } from '#platform/errors'

/** Messages for a refused start and for readiness: what is wrong, and how to fix it. */
export const phrases = {
  newer: (folder: string, has: string, known: string): Localized => ({
    en: `The data folder ${folder} is newer than this program (it has ${has}, the program ends at ${known}): start the version of Kherad that wrote it, or a later one. Nothing was changed.`,
    fa: `پوشهٔ دادهٔ ${folder} از این برنامه تازه‌تر است (تا ${has} پیش رفته و برنامه تا ${known} را می‌شناسد): همان نسخه‌ای از خرد را که آن را نوشته، یا تازه‌تر از آن را، اجرا کنید. چیزی تغییر نکرد.`,
  }),
  notWritten: (file: string, reason: string): Localized => ({
    en: `The file ${file} cannot be written (${reason}): free the disk or give this user the right to it.`,
    fa: `فایل ${file} نوشته نشد (${reason}): روی دیسک جا باز کنید یا به این کاربر حق نوشتن بدهید.`,
  }),
  otherMachine: (place: string): Localized => ({
    en: `This installation was last on another machine, at ${place}: if it has moved here and will not be started there again, run kherad adopt; to try a copy of it beside the original, run kherad start --copy.`,
    fa: `این نصب پیش‌تر روی دستگاه دیگری در ${place} بود: اگر به اینجا منتقل شده و دیگر آنجا آغاز نمی‌شود، kherad adopt را اجرا کنید؛ برای آزمودن نسخه‌ای از آن در کنار اصل، kherad start --copy را.`,
  }),
  copy: (): Localized => ({
    en: 'This server runs on a copy of an installation. Jobs, deliveries, mails, orders under way, the bucket and dedicated databases belong to the original and stay untouched; if the original is gone, run kherad adopt and start again.',
    fa: 'این سرور روی رونوشتی از یک نصب کار می‌کند. کارهای پس‌زمینه، ارسال‌ها، نامه‌ها، سفارش‌های در راه، باکت و پایگاه‌های اختصاصی از آنِ اصل‌اند و دست‌نخورده می‌مانند؛ اگر اصل دیگر نیست، kherad adopt را اجرا و دوباره آغاز کنید.',
  }),
  claimed: (): Localized => ({
    en: 'Another server has taken the bucket of this installation: two of them run with one identity. Stop one of them; the one that is to stay is started after kherad adopt.',
    fa: 'سرور دیگری باکت این نصب را در اختیار گرفته است: دو سرور با یک شناسه کار می‌کنند. یکی را متوقف کنید؛ آن را که می‌ماند پس از kherad adopt آغاز کنید.',
  }),
  originalHere: (place: string): Localized => ({
    en: `The original is still at ${place}: two installations must not have one identity. Stop it and remove that folder, or its file installation.json, then run kherad adopt again.`,
    fa: `اصل هنوز در ${place} است: دو نصب نباید یک شناسه داشته باشند. آن را متوقف و آن پوشه، یا فایل installation.json آن، را پاک کنید و دوباره kherad adopt را اجرا کنید.`,
  }),
}
