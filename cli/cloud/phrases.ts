import { english, persian } from '#platform/words'
import { type BilingualText, type OptionHelp, sentence } from '../command.ts'
import { serverOptions } from '../server/phrases.ts'

export const cloudPhrases = {
  // Commands
  create: sentence(
    'بک‌اندی می‌سازد و نشانی‌اش را چاپ می‌کند؛ رایگان (Starter)، یا با --plan dedicated روی یک بستهٔ حساب',
    'creates an app back-end and prints its address: a free one (Starter), or with --plan dedicated on a package of the account',
  ),
  list: sentence('بک‌اندهای پروژه', 'the app back-ends of the project'),
  show: sentence(
    'یک بک‌اند: وضعیت، و مصرفش از هر سقف؛ CLOUD شناسه، ref یا نام آن است',
    'one app back-end: its state, and what it uses of each limit; CLOUD is its id, ref or name',
  ),
  connection: sentence('نشانی‌ها و کلید عمومی، برای برنامه', 'its addresses and its public key, for an app'),
  keys: sentence(
    'کلیدهای معتبر؛ با --new کلیدی تازه می‌سازد که یک بار نشان داده می‌شود و با --end کلیدی را همین دم پایان می‌دهد',
    'the valid keys; --new makes one, which is shown once, and --end ends one at once',
  ),
  move: sentence(
    'به بک‌اندی Starter پایگاه دادهٔ اختصاصی می‌دهد؛ نشانی، کلیدها و کاربران می‌مانند و مجموعه‌ها جدول می‌شوند',
    'gives a Starter app back-end a database of its own; address, keys and users stay, collections become tables',
  ),
  retry: sentence('راه‌اندازی ناکام را از نو می‌آزماید', 'tries again to set up one that failed'),
  delete: sentence(
    'بک‌اندی را با همهٔ محتوا و سایت‌هایش برای همیشه حذف می‌کند؛ --confirm نام دقیق آن است',
    'deletes an app back-end for good, with all that is in it and its sites; --confirm is its exact name',
  ),
  export: sentence(
    'همهٔ محتوای بک‌اند را در FILE می‌نویسد (سطرهای JSON)؛ مقدارهای محرمانه و کلیدها در آن نیستند',
    'writes all that is in an app back-end to FILE (lines of JSON); secrets and keys are left out',
  ),
  import: sentence(
    'خروجی FILE را در بک‌اندی خالی وارد می‌کند: همهٔ آن یا هیچ',
    'puts the export in FILE into an empty app back-end: all of it, or nothing',
  ),

  // Progress
  arrived: (mebibytes: number) =>
    sentence(`${persian(mebibytes)} مبی‌بایت رسید…`, `${english(mebibytes)} MiB so far…`),
  exported: (name: string, file: string) =>
    sentence(`«${name}» در ${file} نوشته شد.`, `"${name}" is written to ${file}.`),
  importing: sentence('در حال ورود…', 'being imported…'),
  imported: (made: { users: number; collections: number; rows: number; files: number; functions: number }) =>
    sentence(
      `وارد شد: ${persian(made.users)} کاربر، ${persian(made.collections)} مجموعه، ${persian(made.rows)} ردیف، ${persian(made.files)} فایل، ${persian(made.functions)} تابع`,
      `imported: ${english(made.users)} users, ${english(made.collections)} collections, ${english(made.rows)} rows, ${english(made.files)} files, ${english(made.functions)} functions`,
    ),
  moving: sentence('در حال کپی به پایگاه دادهٔ اختصاصی…', 'being copied into a database of its own…'),
  moved: (name: string) =>
    sentence(`«${name}» پایگاه دادهٔ اختصاصی دارد.`, `"${name}" has a database of its own.`),
  provisioning: sentence('در حال راه‌اندازی…', 'being set up…'),
  deleting: sentence('در حال حذف محتوا…', 'its contents are being deleted…'),
  ready: (name: string) => sentence(`«${name}» آماده است`, `"${name}" is ready`),
  gone: (name: string) => sentence(`«${name}» حذف شد.`, `"${name}" is deleted.`),
  shownOnce: sentence(
    'این راز فقط همین یک بار نشان داده می‌شود؛ آن را در جای امنی نگه دارید.',
    'This secret is shown only here; keep it in a safe place.',
  ),
  rotated: sentence('کلید امضا عوض شد.', 'The key that signs is rotated.'),
  keyGone: sentence('کلید پایان یافت.', 'The key is ended.'),

  // Refused
  unknownCloud: (typed: string) =>
    sentence(
      `بک‌اندی با شناسه، ref یا نام «${typed}» نیست: kherad cloud list همه را نشان می‌دهد.`,
      `There is no app back-end with the id, ref or name "${typed}": kherad cloud list shows them all.`,
    ),
  severalClouds: (typed: string) =>
    sentence(
      `چند بک‌اند «${typed}» نام دارند: شناسه یا ref یکی را بنویسید.`,
      `Several app back-ends are called "${typed}": write the id or ref of one.`,
    ),
  noFile: (file: string) => sentence(`فایل «${file}» خوانده نشد.`, `The file "${file}" cannot be read.`),
  moveFailed: sentence(
    'کپی ناکام ماند و بک‌اند همان‌گونه که بود کار می‌کند؛ دوباره بکوشید یا به گردانندهٔ سرویس خبر دهید.',
    'Copying has failed, and the app back-end goes on as it was; try again, or tell the operator.',
  ),
  failed: (why: string) => sentence(`راه‌اندازی ناکام ماند: ${why}`, `Setting it up has failed: ${why}`),
  badKind: (typed: string) =>
    sentence(
      `--new برابر «${typed}» است: public، service یا signing بنویسید.`,
      `--new is "${typed}": write public, service or signing.`,
    ),
  newOrEnd: () => sentence('یا --new بنویسید یا --end.', 'Write either --new or --end.'),
  graceOfNew: () => sentence('--grace همراه --new می‌آید.', '--grace goes with --new.'),

  states: {
    provisioning: sentence('در حال راه‌اندازی', 'being set up'),
    ready: sentence('آماده', 'ready'),
    failed: sentence('ناکام', 'failed'),
    suspended: sentence('معلق', 'suspended'),
    deleting: sentence('در حال حذف', 'being deleted'),
  },
  readOnly: {
    disk: sentence('دیسک بسته پر است', 'the disk of the package is full'),
    unpaid: sentence('پرداخت بسته پایان یافته است', 'the package is no longer paid for'),
  },
  plans: {
    starter: sentence('Starter', 'Starter'),
    dedicated: sentence('اختصاصی', 'dedicated'),
  } as Record<string, BilingualText>,
  columns: {
    id: sentence('شناسه', 'id'),
    ref: sentence('ref', 'ref'),
    name: sentence('نام', 'name'),
    plan: sentence('طرح', 'plan'),
    state: sentence('وضعیت', 'state'),
    url: sentence('نشانی', 'address'),
    readOnly: sentence('فقط می‌خواند', 'only reads'),
    paid: sentence('بسته تا', 'package until'),
    error: sentence('علت', 'reason'),
    what: sentence('چه', 'what'),
    used: sentence('مصرف', 'used'),
    max: sentence('سقف', 'limit'),
    kind: sentence('نوع', 'kind'),
    created: sentence('ساخته‌شده', 'created'),
    expires: sentence('پایان', 'ends'),
    secret: sentence('راز', 'secret'),
  },
  used: {
    collections: sentence('مجموعه‌ها', 'collections'),
    rows: sentence('ردیف‌ها', 'rows'),
    row_bytes: sentence('بایت ردیف‌ها', 'bytes of rows'),
    disk_bytes: sentence('بایت پایگاه داده روی دیسک', 'bytes of the database on disk'),
    awake_hours: sentence('ساعت‌های بیداری، این ماه', 'hours awake, this month'),
    users: sentence('کاربران برنامه', 'app users'),
    files: sentence('فایل‌ها', 'files'),
    file_total_bytes: sentence('بایت فایل‌ها', 'bytes of files'),
    functions: sentence('تابع‌ها', 'functions'),
    secrets: sentence('مقدارهای محرمانه', 'secrets'),
    daily_function_calls: sentence('فراخوانی تابع‌ها، امروز', 'function calls, today'),
    daily_egress_bytes: sentence('بایت خروجی، امروز', 'bytes that left, today'),
    daily_mails: sentence('نامه‌ها، امروز', 'mails, today'),
    sites: sentence('سایت‌ها', 'sites'),
  } as Readonly<Record<string, BilingualText>>,
  count: (number: number) => sentence(persian(number), english(number)),
}

export const cloudOptions: OptionHelp = {
  ...serverOptions,
  name: { value: 'NAME', about: sentence('نام بک‌اند', 'the name of the app back-end') },
  plan: {
    value: 'PLAN',
    about: sentence('starter (پیش‌فرض) یا dedicated', 'starter (the default) or dedicated'),
  },
  package: {
    value: 'ID',
    about: sentence('کدام بستهٔ حساب، برای dedicated', 'which package of the account, of dedicated'),
  },
  confirm: { value: 'NAME', about: sentence('نام دقیق آن', 'its exact name') },
  new: {
    value: 'KIND',
    about: sentence('public، service یا signing', 'public, service or signing'),
  },
  grace: {
    value: 'SECONDS',
    about: sentence('کلیدهای پیشین تا این چند ثانیه معتبر می‌مانند', 'how long the keys before it stay valid'),
  },
  end: { value: 'ID', about: sentence('شناسهٔ کلید', 'the id of the key') },
}
