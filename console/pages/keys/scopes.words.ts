import type { ScopeName } from './scope-groups.ts'

interface ScopeWords {
  /** A noun that stands in a list: «مدل‌ها، گفت‌وگو». */
  short: string
  /** What a key with this scope may do, in a sentence. */
  long: string
}

const fa = {
  presets: { text: 'گفت‌وگو و متن', ai: 'همهٔ هوش مصنوعی', read: 'فقط خواندن', custom: 'انتخاب خودم' },
  groups: {
    text: 'گفت‌وگو و متن',
    media: 'تصویر، صدا و فایل',
    work: 'کارهای بلند و دانش',
    apps: 'بک‌اند برنامه‌ها و سایت‌ها',
    project: 'مصرف و خبرها',
  },
  nothing: 'هیچ',
  andMore: (names: string, count: string) => `${names} و ${count} دسترسی دیگر`,
  scopes: {
    'models:read': { short: 'مدل‌ها', long: 'دیدن فهرست مدل‌ها و قیمتشان' },
    'responses:write': { short: 'گفت‌وگو', long: 'پرسیدن از مدل‌های متن و گرفتن بردار متن' },
    'studio:write': { short: 'تصویر و ویدیو', long: 'ساختن تصویر، صدا و ویدیو، و بارگذاری فایل' },
    'audio:write': { short: 'صدا', long: 'رونویسی صدا و تماس صوتی زنده' },
    'files:read': { short: 'فایل‌ها', long: 'دیدن و گرفتن فایل‌های پروژه' },
    'agents:write': { short: 'عامل‌ها', long: 'ساختن عامل‌ها و به کار انداختنشان' },
    'work:write': { short: 'کارهای بلند', long: 'سپردن کارهای بلند مانند پژوهش و سند' },
    'knowledge:read': { short: 'دیدن دانش', long: 'دیدن و جست‌وجوی منبع‌های دانش' },
    'knowledge:write': { short: 'دانش', long: 'افزودن و حذف منبع‌های دانش' },
    'workspace:read': { short: 'دیدن میز کار', long: 'دیدن گفت‌وگوها و حافظهٔ میز کار' },
    'workspace:write': { short: 'میز کار', long: 'تغییر تنظیم و حافظهٔ میز کار' },
    'cloud:read': { short: 'دیدن ابر', long: 'دیدن بک‌اندها، داده‌ها و سایت‌ها' },
    'cloud:write': { short: 'ابر', long: 'ساختن، تغییر و حذف بک‌اندها و داده‌هایشان' },
    'cloud:hosting': { short: 'سایت‌ها', long: 'انتشار سایت‌ها' },
    'cloud:functions': { short: 'تابع‌ها', long: 'گذاشتن و اجرای تابع‌ها' },
    'usage:read': { short: 'مصرف', long: 'دیدن اعتبار، مصرف و رسیدها' },
    'webhooks:read': { short: 'دیدن وب‌هوک‌ها', long: 'دیدن وب‌هوک‌ها و فرستادن‌هایشان' },
    'webhooks:write': { short: 'وب‌هوک‌ها', long: 'ساختن، تغییر و حذف وب‌هوک‌ها' },
  } satisfies Record<ScopeName, ScopeWords> as Record<ScopeName, ScopeWords>,
}

const en = {
  presets: { text: 'Chat and text', ai: 'All AI', read: 'Reading only', custom: 'My own choice' },
  groups: {
    text: 'Chat and text',
    media: 'Pictures, sound and files',
    work: 'Long work and knowledge',
    apps: 'Back-ends of apps, and sites',
    project: 'Usage and news',
  },
  nothing: 'nothing',
  andMore: (names: string, count: string) => `${names} and ${count} more`,
  scopes: {
    'models:read': { short: 'models', long: 'See the list of models and their prices' },
    'responses:write': { short: 'chat', long: 'Ask text models, and turn text into vectors' },
    'studio:write': { short: 'pictures and video', long: 'Make pictures, sound and video, and upload files' },
    'audio:write': { short: 'sound', long: 'Transcribe sound, and hold live voice calls' },
    'files:read': { short: 'files', long: 'See and fetch the files of the project' },
    'agents:write': { short: 'agents', long: 'Make agents and let them work' },
    'work:write': { short: 'long work', long: 'Order long work such as research and documents' },
    'knowledge:read': { short: 'seeing knowledge', long: 'See and search the sources of knowledge' },
    'knowledge:write': { short: 'knowledge', long: 'Add and delete sources of knowledge' },
    'workspace:read': {
      short: 'seeing the workspace',
      long: 'See the chats and the memory of the workspace',
    },
    'workspace:write': { short: 'workspace', long: 'Change settings and memory of the workspace' },
    'cloud:read': { short: 'seeing the cloud', long: 'See back-ends, their data, and sites' },
    'cloud:write': { short: 'cloud', long: 'Make, change and delete back-ends and their data' },
    'cloud:hosting': { short: 'sites', long: 'Publish sites' },
    'cloud:functions': { short: 'functions', long: 'Deploy and run functions' },
    'usage:read': { short: 'usage', long: 'See credit, usage and receipts' },
    'webhooks:read': { short: 'seeing webhooks', long: 'See webhooks and their deliveries' },
    'webhooks:write': { short: 'webhooks', long: 'Make, change and delete webhooks' },
  } satisfies Record<ScopeName, ScopeWords> as Record<ScopeName, ScopeWords>,
} satisfies typeof fa

export const scopeWords = { fa, en }
