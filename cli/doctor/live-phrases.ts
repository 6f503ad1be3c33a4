import { persianDecimal } from '#platform/words'
import { type BilingualText, sentence } from '../command.ts'

/** The findings of `kherad doctor --live`, and after a colon how to fix them. */
export const livePhrases = {
  ready: () => sentence('روشن و آماده است.', 'It is running and ready.'),
  away: (address: string) =>
    sentence(
      `${address} پاسخ نمی‌دهد: سرور را با npm start روشن کنید یا KHERAD_BASE_URL را درست کنید.`,
      `${address} does not answer: start the server with npm start, or correct KHERAD_BASE_URL.`,
    ),
  notOurs: (address: string) =>
    sentence(
      `در ${address} برنامهٔ دیگری پاسخ می‌دهد: KHERAD_BASE_URL یا KHERAD_PORT را درست کنید.`,
      `Another program answers at ${address}: correct KHERAD_BASE_URL or KHERAD_PORT.`,
    ),
  notReady: (status: number) =>
    sentence(
      `روشن است ولی آماده نیست (${persianDecimal(status)}): پایگاه دادهٔ آن و گزارشش را ببینید.`,
      `It is running, but not ready (${status}): look at its database and its log.`,
    ),
  metrics: (address: string) => sentence(`${address}/metrics خوانده شد.`, `${address}/metrics was read.`),
  workers: (address: string, count: number) =>
    sentence(
      `${address}/metrics از هر ${persianDecimal(count)} پردازه خوانده شد.`,
      `${address}/metrics was read, of all ${count} workers.`,
    ),
  silentWorkers: (silent: number, count: number) =>
    sentence(
      `${persianDecimal(silent)} از ${persianDecimal(count)} پردازه تا یک ثانیه سنجه‌اش را نداد و در این ارقام کم است: پردازنده و گزارش سرور را ببینید.`,
      `${silent} of ${count} workers did not give their figures within a second, and these lack them: look at the CPU and at the log of the server.`,
    ),
  noMetrics: (address: string, reason: string) =>
    sentence(
      `${address}/metrics خوانده نمی‌شود (${reason}): این مسیر را در پراکسی جلوی خرد باز کنید.`,
      `${address}/metrics cannot be read (${reason}): open this path in the proxy before Kherad.`,
    ),
  standsOn: (other: BilingualText) =>
    sentence(`بررسی نشد، چون ${other.fa} خراب است.`, `Not checked, because ${other.en} is broken.`),
  stages: (shown: string) => sentence(`صدک ۹۹: ${persianDecimal(shown)}`, `99th percentile: ${shown}`),
  noCalls: () => sentence('هنوز درخواستی نیامده است.', 'No call has come yet.'),
  slow: (shown: string) =>
    sentence(
      `کند است، صدک ۹۹: ${persianDecimal(shown)}: پردازنده و دیسک پایگاه داده را ببینید، یا KHERAD_WORKERS را بیشتر کنید.`,
      `Slow at the 99th percentile: ${shown}: look at the CPU and at the disk of the database, or raise KHERAD_WORKERS.`,
    ),
  pool: (busy: number, idle: number) =>
    sentence(
      `${persianDecimal(busy)} اتصال در کار و ${persianDecimal(idle)} آزاد`,
      `${busy} connections busy, ${idle} idle`,
    ),
  poolWaits: (waiting: number, busy: number) =>
    sentence(
      `${persianDecimal(waiting)} درخواست در صف اتصال به پایگاه است و هر ${persianDecimal(busy)} اتصال در کار: پایگاه داده کند است یا گزارش‌های سنگین در جریان‌اند.`,
      `${waiting} wait for a connection and all ${busy} are busy: find what slows the database (pg_stat_activity).`,
    ),
  noLag: (ms: number) =>
    sentence(`تأخیر صدک ۹۹: ${persianDecimal(ms)} میلی‌ثانیه`, `99th percentile of the lag: ${ms} ms`),
  lag: (ms: number, max: number) =>
    sentence(
      `تأخیر صدک ۹۹ ${persianDecimal(ms)} میلی‌ثانیه است و باید زیر ${persianDecimal(max)} باشد: KHERAD_WORKERS=auto بگذارید یا ماشین بزرگ‌تری بگیرید.`,
      `The 99th percentile of the lag is ${ms} ms and should be below ${max}: set KHERAD_WORKERS=auto, or take a bigger machine.`,
    ),
  noLoss: () => sentence('از آغاز این پردازه زیانی نبوده است.', 'None since this process started.'),
  loss: (credits: string) =>
    sentence(
      `${persianDecimal(credits)} اعتبار بیش از گرو و موجودی خرج شد: «platform loss» را در گزارش بجویید؛ رسیدش ارائه‌دهنده را نشان می‌دهد.`,
      `${credits} credits were spent beyond hold and balance: look for "platform loss" in the log; its receipt names the provider.`,
    ),
  noBreakers: (count: number) =>
    sentence(
      `هیچ‌یک از ${persianDecimal(count)} استقرارِ به‌کاررفته کنار گذاشته نشده است.`,
      `None of the ${count} deployments in use is resting.`,
    ),
  breakers: (deployments: string) =>
    sentence(
      `کنار گذاشته شده‌اند: ${deployments}: ارائه‌دهنده را ببینید (kherad doctor هر یک را می‌آزماید)؛ خودکار دوباره آزموده می‌شوند.`,
      `Resting after failures: ${deployments}: look at the provider (kherad doctor asks each); they are probed again by themselves.`,
    ),
  holds: (open: bigint) =>
    sentence(`${persianDecimal(open)} گرو باز، همه در مهلت`, `${open} holds are open, all in their time.`),
  staleHolds: (count: number, open: bigint) =>
    sentence(
      `${persianDecimal(count)} از ${persianDecimal(open)} گرو باز از مهلتش گذشته و جمع نشده است: دست‌کم یک سرور با همین پایگاه باید روشن باشد؛ گزارش آن را ببینید.`,
      `${count} of ${open} open holds are past their lease and not swept: one server on this database has to run; look at its log.`,
    ),
  noDatabase: () =>
    sentence(
      'بررسی نشد: پایگاه داده از اینجا در دسترس نیست یا هنوز جدولی ندارد.',
      'Not checked: the database cannot be reached from here, or has no tables yet.',
    ),
}

export const liveTitles = {
  live_ready: sentence('سرور', 'server'),
  live_metrics: sentence('سنجه‌ها', 'metrics'),
  live_stages: sentence('مرحله‌ها', 'stages'),
  live_pool: sentence('اتصال‌های پایگاه', 'database pool'),
  live_event_loop: sentence('حلقهٔ رویداد', 'event loop'),
  live_loss: sentence('زیان سکو', 'platform loss'),
  live_breakers: sentence('قطع‌کننده‌ها', 'breakers'),
  live_holds: sentence('گروها', 'holds'),
}
