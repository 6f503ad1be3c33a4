import { type OptionHelp, sentence } from '../command.ts'

const limit = (fa: string, en: string) => ({ value: 'N|none', about: sentence(fa, en) })

export const sitesPhrases = {
  list: sentence('سایت‌های همهٔ حساب‌ها، تازه‌ترین نخست.', 'The sites of all accounts, newest first.'),
  takedown: sentence(
    'سایتی را از دسترس خارج می‌کند: بازدیدکنندگان اطلاعیه می‌بینند و چیزی در آن منتشر نمی‌شود. SITE شناسه یا slug است.',
    'Takes a site down: visitors get a notice, and nothing is published to it. SITE is its id or slug.',
  ),
  restore: sentence(
    'سایتی را که از دسترس خارج شده بود بازمی‌گرداند.',
    'Makes a site that was taken down available again.',
  ),
  limits: sentence(
    'سقف‌های یک سایت را جدا از پیکربندی تعیین می‌کند؛ آنچه ننویسید همان می‌ماند.',
    'Sets limits of one site, in place of those of the configuration; what is left out stays as it is.',
  ),
  noSite: (named: string) =>
    sentence(
      `سایتی با شناسه یا slug «${named}» نیست: kherad site all همه را نشان می‌دهد.`,
      `There is no site with the id or slug "${named}": kherad site all shows them all.`,
    ),
  noneYet: sentence('هنوز سایتی نیست.', 'There is no site yet.'),
  takenDown: (slug: string) =>
    sentence(`سایت «${slug}» از دسترس خارج شد.`, `The site "${slug}" is taken down.`),
  restored: (slug: string) =>
    sentence(`سایت «${slug}» باز در دسترس است.`, `The site "${slug}" is available again.`),
  changed: (slug: string) =>
    sentence(`سقف‌های سایت «${slug}» تغییر کرد.`, `The limits of the site "${slug}" are changed.`),
  standing: sentence('در دسترس', 'served'),
  down: sentence('از دسترس خارج شده', 'taken down'),
  notYet: sentence('هنوز منتشر نشده', 'nothing published yet'),
}

export const sitesColumns = {
  slug: sentence('slug', 'slug'),
  version: sentence('نسخه', 'version'),
  reason: sentence('علت', 'reason'),
  limits: sentence('سقف‌های خودش', 'limits of its own'),
}

export const sitesOptions: OptionHelp = {
  account: { value: 'ID', about: sentence('تنها سایت‌های این حساب', 'only those of this account') },
  reason: { value: 'TEXT', about: sentence('علت، برای گرداننده', 'why, for the operator') },
  files: limit('شمار فایل‌ها', 'its files'),
  'total-bytes': limit('حجم همهٔ فایل‌ها به بایت', 'bytes of all its files'),
  'file-bytes': limit('حجم یک فایل به بایت', 'bytes of one file'),
  'daily-requests': limit('درخواست‌های بازدیدکنندگان در روز', 'requests of visitors a day'),
  'daily-bytes': limit('بایت‌هایی که در روز به بازدیدکنندگان می‌فرستد', 'bytes that it sends visitors a day'),
  domains: limit('دامنه‌های خودش', 'domains of its own'),
}
