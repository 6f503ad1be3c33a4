/** What all checks of the doctor share: their titles, and the sentences of their outcome. */
import { persianDecimal } from '#platform/words'
import { type BilingualText, sentence } from '../command.ts'

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
}

/** The title of each check. */
export const checkTitles = {
  node: sentence('Node', 'Node'),
  settings: sentence('متغیرهای محیط', 'environment'),
  data_folder: sentence('پوشهٔ داده', 'data folder'),
  installation: sentence('نصب', 'installation'),
  disk: sentence('دیسک', 'disk'),
  binaries: sentence('برنامه‌های PostgreSQL', 'PostgreSQL programs'),
  confinement: sentence('پردازه‌های محصور', 'confined processes'),
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
  apps_domain: sentence('دامنهٔ برنامه‌ها', 'apps domain'),
  provider: sentence('ارائه‌دهنده', 'provider'),
  provider_models: sentence('مدل‌های', 'models of'),
  proxy: sentence('پراکسی', 'proxy'),
  metrics: sentence('سنجه‌ها', 'metrics'),
  certificates: sentence('گواهی‌های خودی', 'certificates'),
  mail: sentence('سرور ایمیل', 'mail server'),
  sms: sentence('درگاه پیامک', 'SMS gateway'),
  function_packages: sentence('بسته‌های تابع‌ها', 'packages of functions'),
  cloud_databases: sentence('پایگاه‌های بک‌اندها', 'databases of apps'),
  cloud_disk: sentence('دیسک بک‌اندها', 'disk of apps'),
  cloud_memory: sentence('حافظهٔ بک‌اندها', 'memory of apps'),
  cloud_server: sentence('سرور بک‌اندها', 'server of apps'),
}

export type CheckName = keyof typeof checkTitles
