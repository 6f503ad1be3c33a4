import { english, persian } from '#platform/words'
import { type OptionHelp, sentence } from '../command.ts'
import { serverOptions } from '../server/phrases.ts'

/** A size as people read it. */
const size = (bytes: number, locale: 'fa-IR' | 'en-US'): string =>
  bytes < 1_000_000
    ? `${Math.ceil(bytes / 1_000).toLocaleString(locale)} ${locale === 'fa-IR' ? 'کیلوبایت' : 'kB'}`
    : `${(bytes / 1_000_000).toLocaleString(locale, { maximumFractionDigits: 1 })} ${locale === 'fa-IR' ? 'مگابایت' : 'MB'}`

export const sitePhrases = {
  publish: sentence(
    'پوشه‌ای را به شکل وب‌سایت منتشر می‌کند و تا آماده شدنش صبر می‌کند؛ روی خروجی تنها نشانی‌اش است. اگر پروژه سایتی با همین --slug یا --name داشته باشد همان را به‌روز می‌کند و تنها فایل‌های تغییرکرده را می‌فرستد',
    'publishes a folder as a website and waits until it is ready; standard output has its address and nothing else. A site of the project with this --slug or --name is updated, and only files that changed are sent',
  ),
  list: sentence('سایت‌های پروژه', 'the sites of the project'),
  show: sentence('یک سایت، با نسخه‌ها و مصرف امروزش', 'one site, with its versions and what it used today'),
  rollback: sentence(
    'سایت را به نسخهٔ پیش از نسخهٔ کنونی برمی‌گرداند، یا به نسخهٔ --to',
    'takes a site back to the version before the live one, or to that of --to',
  ),
  delete: sentence(
    'سایتی را برای همیشه حذف می‌کند؛ --confirm نام دقیق آن است',
    'deletes a site for good; --confirm is its exact name',
  ),
  domain: sentence(
    'برای سایت دامنه‌ای درخواست می‌کند و رکورد TXT اثبات آن را نشان می‌دهد؛ با --check رکورد همین حالا جسته می‌شود، با --remove دامنه برداشته می‌شود و بی DOMAIN همه نشان داده می‌شوند',
    'claims a domain for a site and shows the TXT record that proves it; --check looks for the record now, --remove gives the domain up, and without DOMAIN all are shown',
  ),

  // Typed wrong
  bothSpa: () => sentence('یا --spa بنویسید یا --no-spa.', 'Write either --spa or --no-spa.'),
  notPublic: () =>
    sentence(
      'سایت منتشرشده را همه می‌توانند ببینند: اگر همین را می‌خواهید --public را بیفزایید.',
      'Everybody can see a published site: add --public if that is what you want.',
    ),
  checkOrRemove: () =>
    sentence(
      'یکی از --check و --remove را با DOMAIN بدهید.',
      'Give one of --check and --remove, with a DOMAIN.',
    ),
  nameOrSite: () =>
    sentence(
      'نام سایت داده نشده است: --name را بنویسید، یا برای به‌روزرسانی --site را.',
      'No name is given: write --name, or --site to update one.',
    ),

  // Refused
  noFolder: (root: string) =>
    sentence(
      `«${root}» پوشه نیست: پوشهٔ ساخته‌شدهٔ سایت را بنویسید.`,
      `"${root}" is no folder: write the built folder of the site.`,
    ),
  noIndex: (root: string) =>
    sentence(
      `در «${root}» فایل index.html نیست: پوشهٔ خروجی ساخت را بنویسید، مانند dist یا build.`,
      `"${root}" has no index.html: write the folder that the build made, such as dist or build.`,
    ),
  dependencies: (at: string) =>
    sentence(
      `«${at}» وابستگی‌های برنامه است و منتشر نمی‌شود: پوشهٔ خروجی ساخت را بنویسید، مانند dist.`,
      `"${at}" are dependencies, which are not published: write the folder that the build made, such as dist.`,
    ),
  noFile: (at: string) =>
    sentence(
      `«${at}» فایل معمولی نیست (مثلاً پیوند است): به جایش خود فایل را بگذارید.`,
      `"${at}" is no regular file (a link, for instance): put the file itself in its place.`,
    ),
  tooLarge: () =>
    sentence(
      'پوشه بیش از ۱۰٬۰۰۰ فایل یا ۲۰۰ مگابایت دارد: آیا پوشهٔ درستی است؟',
      'The folder has more than 10,000 files or 200 MB: is it the right one?',
    ),
  failed: (message: string) => sentence(message, message),
  unknownSite: (typed: string) =>
    sentence(
      `پروژه سایتی با شناسه، نشانی یا نام «${typed}» ندارد: kherad site list همه را نشان می‌دهد.`,
      `The project has no site with the id, slug or name "${typed}": kherad site list shows them.`,
    ),
  severalSites: (typed: string) =>
    sentence(
      `چند سایت با نام «${typed}» هست: با --site شناسه یا slug یکی را بنویسید.`,
      `Several sites are called "${typed}": write the id or the slug of one with --site.`,
    ),
  timedOut: (seconds: number) =>
    sentence(
      `سایت در ${persian(seconds)} ثانیه آماده نشد؛ انتشار ادامه دارد: kherad site show.`,
      `The site was not ready within ${english(seconds)} seconds; it is still being published: kherad site show.`,
    ),
  interrupted: () =>
    sentence(
      'دستور رها شد؛ اگر سرور آن را پذیرفته باشد انتشار ادامه دارد.',
      'The command was stopped; what the server has accepted is still published.',
    ),

  // What is written on standard error.
  leftOut: (entries: readonly string[]) =>
    sentence(
      `کنار گذاشته شد: ${entries.slice(0, 5).join('، ')}${entries.length > 5 ? ` و ${persian(entries.length - 5)} تای دیگر` : ''}`,
      `Left out: ${entries.slice(0, 5).join(', ')}${entries.length > 5 ? ` and ${english(entries.length - 5)} more` : ''}`,
    ),
  sending: (changed: number, all: number, bytes: number) =>
    sentence(
      `${persian(changed)} از ${persian(all)} فایل فرستاده می‌شود (${size(bytes, 'fa-IR')})`,
      `sending ${english(changed)} of ${english(all)} files (${size(bytes, 'en-US')})`,
    ),
  publishing: (seconds: number) =>
    sentence(`${persian(seconds)} ثانیه · در حال انتشار`, `${english(seconds)} s · being published`),
  done: (name: string, version: number, files: number, bytes: number) =>
    sentence(
      `«${name}» نسخهٔ ${persian(version)} · ${persian(files)} فایل، ${size(bytes, 'fa-IR')}`,
      `"${name}" version ${english(version)} · ${english(files)} files, ${size(bytes, 'en-US')}`,
    ),
  wentBack: (version: number) =>
    sentence(`نسخهٔ ${persian(version)} در دسترس است.`, `Version ${english(version)} is live.`),
  deleted: (name: string) => sentence(`«${name}» حذف شد.`, `"${name}" is deleted.`),
  removed: (domain: string) => sentence(`${domain} برداشته شد.`, `${domain} is removed.`),
  record: (name: string, value: string, target: string) => {
    // Every machine resolves such a name to itself.
    const hasName = !target.endsWith('.localhost')
    const fa = hasName ? `با CNAME (یا رکورد نشانی) به ${target}` : 'با رکورد نشانی (A یا AAAA) به همین سرور'
    const en = hasName
      ? `${target} by a CNAME (or an address record)`
      : 'this server by an address record (A or AAAA)'
    return sentence(
      `در سرورهای نام دامنه این دو رکورد را بسازید و نگه دارید:\n  ${name}  TXT  "${value}"\n  دامنه را ${fa} برسانید.\n`,
      `Make these two records at the name servers of the domain, and keep them:\n  ${name}  TXT  "${value}"\n  Lead the domain to ${en}.\n`,
    )
  },
  states: {
    publishing: sentence('در حال انتشار', 'being published'),
    ready: sentence('آماده', 'ready'),
    failed: sentence('ناموفق', 'failed'),
    takenDown: sentence('از دسترس خارج شده', 'taken down'),
    pending: sentence('در انتظار اثبات', 'not proven yet'),
    proven: sentence('اثبات‌شده', 'proven'),
    lost: sentence('از دست رفته', 'lost'),
  },
  columns: {
    id: sentence('شناسه', 'ID'),
    name: sentence('نام', 'NAME'),
    state: sentence('وضعیت', 'STATE'),
    url: sentence('نشانی', 'ADDRESS'),
    version: sentence('نسخه', 'VERSION'),
    files: sentence('فایل‌ها', 'FILES'),
    bytes: sentence('حجم', 'SIZE'),
    time: sentence('زمان', 'TIME'),
    preview: sentence('پیش‌نمایش', 'PREVIEW'),
    requests: sentence('درخواست‌های امروز', 'requests today'),
    sent: sentence('حجم فرستادهٔ امروز', 'sent today'),
    domain: sentence('دامنه', 'DOMAIN'),
    record: sentence('رکورد', 'RECORD'),
  },
  live: sentence('(در دسترس)', '(live)'),
  size: (bytes: number) => sentence(size(bytes, 'fa-IR'), size(bytes, 'en-US')),
  count: (value: number) => sentence(persian(value), english(value)),
  outOf: (used: string, max: string) => sentence(`${used} از ${max}`, `${used} of ${max}`),
}

const site = {
  value: 'SITE',
  about: sentence('شناسه، slug یا نام سایت', 'the id, the slug or the name of a site'),
}

export const siteOptions: OptionHelp = {
  ...serverOptions,
  site,
  name: { value: 'NAME', about: sentence('نام سایت برای آدم‌ها', 'the name of the site, for people') },
  slug: {
    value: 'SLUG',
    about: sentence(
      'نخستین بخش نشانی؛ در نبودش از نام ساخته می‌شود',
      'the first label of its host; made of the name when left out',
    ),
  },
  cloud: {
    value: 'CLOUD',
    about: sentence(
      'بک‌اندی که سایت از آنِ آن است: پیوندهای نامه‌هایش به سایت می‌رسند و سایت با آن حذف می‌شود',
      'the app back-end that the site belongs to: links in its mails may lead to the site, and the site is deleted with it',
    ),
  },
  to: { value: 'N', about: sentence('شمارهٔ نسخه', 'the number of a version') },
  public: { value: '', about: sentence('همه می‌توانند سایت را ببینند', 'everybody can see the site') },
  spa: {
    value: '',
    about: sentence(
      'نشانی‌های بی‌فایل را index.html پاسخ می‌دهد، برای برنامه‌هایی با مسیرهای خود',
      'addresses without a file are answered by index.html, for apps with routes of their own',
    ),
  },
  'no-spa': {
    value: '',
    about: sentence(
      'نشانی‌های بی‌فایل دیگر index.html نمی‌گیرند؛ بی‌این‌دو، مانند نسخهٔ پیشین است',
      'addresses without a file are answered by index.html no longer; without either it is as in the version before',
    ),
  },
  check: { value: '', about: sentence('رکورد همین حالا جسته می‌شود', 'the record is looked for now') },
  remove: { value: '', about: sentence('دامنه برداشته می‌شود', 'the domain is given up') },
  confirm: { value: 'NAME', about: sentence('نام دقیق سایت', 'the exact name of the site') },
  timeout: {
    value: 'SECONDS',
    about: sentence('حداکثر انتظار؛ پیش‌فرض 300', 'how long to wait at most; 300 when left out'),
  },
}
