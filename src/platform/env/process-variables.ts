import type { Variable } from './variables.ts'

/** The variables of the process itself; rooms declare theirs beside their settings. */
export const processVariables = [
  {
    name: 'KHERAD_HOST',
    default: '127.0.0.1',
    about: {
      en: 'The address to listen on; 0.0.0.0 for every interface.',
      fa: 'نشانی‌ای که سرور روی آن گوش می‌دهد؛ 0.0.0.0 یعنی همهٔ رابط‌ها.',
    },
  },
  {
    name: 'KHERAD_PORT',
    default: '8080',
    about: {
      en: 'The port to listen on; 0 lets the system choose.',
      fa: 'درگاهی که سرور روی آن گوش می‌دهد؛ 0 انتخاب را به سیستم می‌سپارد.',
    },
  },
  {
    name: 'KHERAD_BASE_URL',
    about: {
      en: 'What clients type to reach this server; without it http://<host>:<port>.',
      fa: 'نشانی‌ای که کاربران با آن به سرور می‌رسند؛ در نبودش http://<host>:<port>.',
    },
  },
  {
    name: 'KHERAD_DATA',
    default: './data',
    about: { en: 'The data folder.', fa: 'پوشهٔ داده‌ها.' },
  },
  {
    name: 'KHERAD_CONFIG',
    default: './kherad.config.yaml',
    about: {
      en: 'The configuration file; once named it has to exist.',
      fa: 'فایل پیکربندی؛ اگر نامش را ببرید باید باشد.',
    },
  },
  {
    name: 'KHERAD_BOOTSTRAP_KEY',
    secret: true,
    about: {
      en: 'Secret of the first key, used on an empty database only.',
      fa: 'رمز نخستین کلید؛ تنها روی پایگاه دادهٔ خالی به کار می‌رود.',
    },
  },
  {
    name: 'KHERAD_SECRET',
    secret: true,
    about: {
      en: 'Seals what the database must not show; the same on every machine over one database.',
      fa: 'آنچه پایگاه داده نباید نشان دهد با آن مهر می‌شود؛ روی همهٔ ماشین‌های یک پایگاه داده یکی است.',
    },
  },
  {
    name: 'KHERAD_LOCALE',
    default: 'fa',
    about: { en: 'Language of the command kherad: fa or en.', fa: 'زبان دستور kherad: ‏fa یا en.' },
  },
  {
    name: 'KHERAD_KEY',
    secret: true,
    about: {
      en: 'The key of those commands of kherad that order from a running server; the server does not use it.',
      fa: 'کلید دستورهایی از kherad که از سروری روشن سفارش می‌دهند؛ خود سرور آن را به کار نمی‌برد.',
    },
  },
  {
    name: 'KHERAD_LOG_LEVEL',
    default: 'info',
    about: {
      en: 'The least important level that is logged: trace, debug, info, warn, error, fatal or silent.',
      fa: 'کم‌اهمیت‌ترین سطحی که ثبت می‌شود: trace، debug، info، warn، error، fatal یا silent.',
    },
  },
  {
    name: 'KHERAD_LEASE_MS',
    default: '20000',
    about: {
      en: 'Milliseconds without a heartbeat after which a process counts as dead; the same for every process over one database.',
      fa: 'هزارم‌های ثانیه بی‌نشان که پس از آن یک پردازه مرده به شمار می‌آید؛ برای همهٔ پردازه‌های یک پایگاه داده یکی است.',
    },
  },
  {
    name: 'KHERAD_DRAIN_SECONDS',
    default: '60',
    about: {
      en: 'How many seconds a stop waits at most for calls whose results are stored before they are charged.',
      fa: 'توقف سرور برای درخواست‌هایی که نتیجه‌شان پیش از کسر هزینه ذخیره می‌شود حداکثر چند ثانیه صبر می‌کند.',
    },
  },
  {
    name: 'KHERAD_WORKERS',
    default: '1',
    about: {
      en: 'How many processes share the address: a number, or auto for one per core.',
      fa: 'شمار پردازه‌های پشت یک نشانی: یک عدد، یا auto یعنی به شمار هسته‌ها.',
    },
  },
  {
    name: 'KHERAD_ROLE',
    default: 'all',
    about: {
      en: 'What this process does: all, api, worker, voice or functions; the word after --role wins.',
      fa: 'کار این پردازه: all، api، worker، voice یا functions؛ واژهٔ پس از --role مقدم است.',
    },
  },
  {
    name: 'DATABASE_URL',
    secret: true,
    about: {
      en: 'A PostgreSQL that is used instead of the embedded one.',
      fa: 'نشانی PostgreSQL دیگری که به جای نمونهٔ درونی به کار می‌رود.',
    },
  },
  {
    name: 'KHERAD_PG_BIN',
    about: {
      en: 'The folder with initdb and postgres, used instead of those from npm.',
      fa: 'پوشهٔ initdb و postgres که به جای نسخهٔ npm به کار می‌رود.',
    },
  },
] as const satisfies readonly Variable[]
