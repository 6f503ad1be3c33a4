/** The findings of the doctor about databases and packages of apps, and after a colon how to fix them. */
import { persianDecimal } from '#platform/words'
import { type BilingualText, sentence } from '../command.ts'

export const dedicatedPhrases = {
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
}
