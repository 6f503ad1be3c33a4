import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    KNOWLEDGE_NOT_FOUND: Record<string, never>
    EMBEDDING_NOT_CONFIGURED: Record<string, never>
    KNOWLEDGE_LIMIT: { max: number; of: 'projects' | 'sources' }
  }
}

declareFailures({
  KNOWLEDGE_NOT_FOUND: {
    status: 404,
    en: () =>
      'There is no such knowledge project here; GET /v1/knowledge lists those there are. An agent whose project was deleted does not answer without it: make it anew with another.',
    fa: () =>
      'چنین پروژهٔ دانشی اینجا نیست؛ GET /v1/knowledge آن‌ها را که هستند نشان می‌دهد. عاملی که پروژه‌اش حذف شده بی آن پاسخ نمی‌دهد: آن را با پروژه‌ای دیگر از نو بسازید.',
  },
  EMBEDDING_NOT_CONFIGURED: {
    status: 400,
    retry: false,
    en: () =>
      'This server has no embedding model for knowledge projects; its operator chooses one by defaults.embedding_model. Words are searched without it.',
    fa: () =>
      'این سرور برای پروژه‌های دانش مدل embedding ندارد؛ گردانندهٔ آن یکی را با defaults.embedding_model برمی‌گزیند. جست‌وجوی واژه‌ها بی آن هم کار می‌کند.',
  },
  KNOWLEDGE_LIMIT: {
    status: 403,
    retry: false,
    en: ({ max, of }) =>
      of === 'projects'
        ? `A project has at most ${max} knowledge projects; delete one first.`
        : `A knowledge project has at most ${max} sources; delete some, or begin another.`,
    fa: ({ max, of }) =>
      of === 'projects'
        ? `هر پروژه حداکثر ${persian(max)} پروژهٔ دانش دارد؛ نخست یکی را پاک کنید.`
        : `هر پروژهٔ دانش حداکثر ${persian(max)} منبع دارد؛ چند تا را پاک کنید یا پروژهٔ دیگری بسازید.`,
  },
})

/** Why a source is refused. */
export const reasons = {
  notBase64: {
    en: 'data is not Base64: standard alphabet, whole padding, no line breaks.',
    fa: 'data به شکل Base64 نیست: الفبای استاندارد، با = پایانی و بدون شکستن خط.',
  },
  tooLarge: (bytes: number): Localized => ({
    en: `a file has at most ${bytes} bytes.`,
    fa: `هر فایل حداکثر ${persian(bytes)} بایت است.`,
  }),
  notPdf: { en: 'the bytes are no PDF.', fa: 'این بایت‌ها PDF نیستند.' },
  notDocx: {
    en: 'the bytes are no Word file (.docx); older .doc files have to be saved anew.',
    fa: 'این بایت‌ها فایل Word (‎.docx) نیستند؛ فایل‌های قدیمی ‎.doc را از نو ذخیره کنید.',
  },
  blank: { en: 'text holds nothing but blanks.', fa: 'text جز فاصله چیزی ندارد.' },
  notHttps: {
    en: 'url has to be a whole address that begins with https:// and names no user or password.',
    fa: 'url باید نشانی کاملی باشد که با https:// آغاز می‌شود و نام کاربری یا گذرواژه ندارد.',
  },
}

const gone: Localized = {
  en: 'The page cannot be reached, or its site answers with an error; check the address and add it again.',
  fa: 'صفحه در دسترس نیست یا سایت آن خطا می‌دهد؛ نشانی را بررسی کنید و دوباره بیفزایید.',
}
const tooLarge: Localized = {
  en: 'It is too large to be read; add the part that matters.',
  fa: 'بیش از اندازه بزرگ است؛ بخش مهم آن را بیفزایید.',
}

/** Why a source could not be indexed, by its code. */
const problems: Record<string, Localized> = {
  no_text: {
    en: 'It holds no text: it is empty, scanned, or locked by a password. Add its text instead.',
    fa: 'متنی در آن نیست: خالی، اسکن‌شده یا رمزدار است. متن آن را بیفزایید.',
  },
  unreadable: {
    en: 'It is broken, or too entangled to be read. Save it anew, or add its text instead.',
    fa: 'خراب است یا بیش از اندازه پیچیده. آن را از نو ذخیره کنید یا متنش را بیفزایید.',
  },
  file_lost: {
    en: 'Its bytes are lost from the store of this server. Add it again, and tell the operator.',
    fa: 'بایت‌های آن در انبار این سرور از دست رفته‌اند. آن را دوباره بیفزایید و به گردانندهٔ سرویس خبر دهید.',
  },
  knowledge_full: {
    en: 'The knowledge project holds as many passages as it may; delete sources, or begin another.',
    fa: 'این پروژهٔ دانش پر است؛ چند منبع را پاک کنید یا پروژهٔ دیگری بسازید.',
  },
  set_aside: {
    en: 'The server process ended twice while it was read, so it was set aside. Add it in smaller parts, or tell the operator.',
    fa: 'پردازهٔ سرور دو بار هنگام خواندن آن از کار افتاد و کنار گذاشته شد. آن را در بخش‌های کوچک‌تر بیفزایید یا به گردانندهٔ سرور خبر دهید.',
  },
  given_up: {
    en: 'It was tried several times in vain; delete it and add it again.',
    fa: 'چند بار بی‌نتیجه آزموده شد؛ آن را پاک کنید و دوباره بیفزایید.',
  },
  url_not_allowed: {
    en: 'The address is not on the public internet, or is not https://; the operator can allow networks by net.allow_cidrs.',
    fa: 'این نشانی در اینترنت عمومی نیست یا https:// نیست؛ گردانندهٔ سرویس می‌تواند شبکه‌ها را با net.allow_cidrs مجاز کند.',
  },
  invalid_tool_input: {
    en: 'The address cannot be used; write it whole, with https://',
    fa: 'این نشانی به کار نمی‌آید؛ آن را کامل و با https:// بنویسید.',
  },
  unsupported_content_type: {
    en: 'The address leads to something other than HTML, PDF or text; add the file itself.',
    fa: 'این نشانی به چیزی جز HTML، PDF یا متن می‌رسد؛ خود فایل را بیفزایید.',
  },
  content_too_large: tooLarge,
  url_not_accessible: gone,
}

export const problemPhrases = (code: string): Localized => problems[code] ?? gone

const askAnew: Localized = {
  en: 'then ask for its vectors again: POST /v1/knowledge/{id}/embed.',
  fa: 'سپس بردارهایش را دوباره بخواهید: POST /v1/knowledge/{id}/embed',
}

/** Why passages of a source have no vectors, by its code. The passages can still be found by their words. */
const vectorProblems: Record<string, Localized> = {
  no_credits: {
    en: `The credits or the budget of the key that adds sources do not suffice; add some, ${askAnew.en}`,
    fa: `اعتبار یا سقف کلیدی که منبع‌ها را افزوده کافی نیست؛ آن را بیفزایید، ${askAnew.fa}`,
  },
  key_ended: {
    en: `The key that added it may ask for nothing more; with another key ${askAnew.en.replace('then ', '')}`,
    fa: `کلیدی که آن را افزوده دیگر اجازه‌ای ندارد؛ با کلیدی دیگر ${askAnew.fa.replace('سپس ', '')}`,
  },
  model_not_allowed: {
    en: `The key that added it may not use the embedding model; with one that may, ${askAnew.en.replace('then ', '')}`,
    fa: `کلیدی که آن را افزوده اجازهٔ مدل embedding را ندارد؛ با کلیدی که دارد، ${askAnew.fa.replace('سپس ', '')}`,
  },
  no_model: {
    en: `The embedding model is not offered any more; ${askAnew.en}`,
    fa: `آن مدل embedding دیگر ارائه نمی‌شود؛ ${askAnew.fa}`,
  },
  lost: {
    en: `Calls for some passages were made and their results were lost; they are not made again by themselves. To pay for them again, ${askAnew.en.replace('then ', '')}`,
    fa: `نتیجهٔ درخواست برخی بخش‌ها از دست رفت و خودبه‌خود تکرار نمی‌شود. برای پرداخت دوباره ${askAnew.fa.replace('سپس ', '')}`,
  },
  set_aside: {
    en: `The server process ended twice while they were made, so that was set aside; tell the operator, ${askAnew.en}`,
    fa: `پردازهٔ سرور دو بار هنگام ساختنشان از کار افتاد و آن کار کنار گذاشته شد؛ به گردانندهٔ سرور خبر دهید، ${askAnew.fa}`,
  },
  upstream_failed: {
    en: `The embedding model failed several times in a row; wait a while, ${askAnew.en}`,
    fa: `مدل embedding چند بار پیاپی پاسخ نداد؛ اندکی صبر کنید، ${askAnew.fa}`,
  },
}

export const vectorPhrases = (code: string): Localized =>
  vectorProblems[code] ?? vectorProblems['upstream_failed']!
