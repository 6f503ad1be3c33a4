/** The reference's own texts, Persian beside English. Backticks mark technical names. */
import type { Language } from '#platform/errors'

export const phrases = {
  title: { fa: 'مرجع API خرد', en: 'Kherad API reference' },
  lead: {
    fa: 'یک سرور، یک موجودی اعتبار و همهٔ توانایی‌ها پشت یک API. هرچه اینجاست از خودِ مسیرهای همین سرور ساخته شده است.',
    en: 'One server, one credit balance, every capability behind one API. All of this page is made from the routes that this very server serves.',
  },
  skip: { fa: 'رفتن به متن', en: 'Skip to the text' },
  console: { fa: 'کنسول خرد', en: 'Kherad console' },
  contents: { fa: 'فهرست', en: 'Contents' },
  firstCall: { fa: 'نخستین درخواست', en: 'First call' },
  filter: { fa: 'جست‌وجو در مسیرها…', en: 'Find a route…' },
  nothingFound: { fa: 'مسیری با این نشانی نیست.', en: 'No route matches.' },
  copy: { fa: 'رونوشت', en: 'Copy' },
  copied: { fa: 'رونوشت شد', en: 'Copied' },
  contract: { fa: 'نسخهٔ قرارداد', en: 'Contract version' },
  address: { fa: 'نشانی پایه', en: 'Base address' },
  machine: { fa: 'برای ماشین', en: 'For machines' },
  routes: { fa: 'مسیرها', en: 'Routes' },
  publicRoute: { fa: 'بدون کلید', en: 'no key needed' },
  anyScope: { fa: 'هر کلید معتبر', en: 'any valid key' },
  scope: { fa: 'دسترسی لازم', en: 'Scope' },
  operation: { fa: 'نام عملیات', en: 'Operation' },
  bodyLimit: { fa: 'سقف بدنه', en: 'Body limit' },
  bytes: { fa: 'بایت', en: 'bytes' },
  pathParameters: { fa: 'پارامترهای مسیر', en: 'Path parameters' },
  queryParameters: { fa: 'پارامترهای پرسش', en: 'Query parameters' },
  headerParameters: { fa: 'هدرها', en: 'Headers' },
  body: { fa: 'بدنهٔ درخواست', en: 'Request body' },
  form: { fa: 'یا یک فرم (multipart/form-data)', en: 'Or a form (multipart/form-data)' },
  otherBody: { fa: 'شکل دیگر بدنه', en: 'Another shape of the body' },
  answer: { fa: 'پاسخ', en: 'Answer' },
  socket: { fa: 'یک WebSocket باز می‌شود', en: 'a WebSocket is open' },
  host: { fa: 'میزبان', en: 'Host' },
  orStream: { fa: 'یا جریان رویداد', en: 'or an event stream' },
  failures: { fa: 'خطاها', en: 'Errors' },
  example: { fa: 'نمونه', en: 'Example' },
  tolerates: {
    fa: 'فیلدهای دیگر پذیرفته می‌شوند، اثری ندارند و نامشان در هدر `X-Ignored-Fields` می‌آید.',
    en: 'Other fields are accepted, have no effect and are named in the header `X-Ignored-Fields`.',
  },
  refuses: { fa: 'فیلد دیگری پذیرفته نمی‌شود.', en: 'Other fields are refused.' },
  required: { fa: 'الزامی', en: 'required' },
  fieldsOf: { fa: 'فیلدهای', en: 'Fields of' },
  when: { fa: 'وقتی', en: 'when' },
  or: { fa: ' یا ', en: ' or ' },
  oneOf: { fa: 'یکی از', en: 'one of' },
  always: { fa: 'همیشه', en: 'always' },
  listOf: { fa: 'فهرستی از', en: 'list of' },
  standard: { fa: 'پیش‌فرض', en: 'default' },
  pattern: { fa: 'الگو', en: 'pattern' },
  to: { fa: ' تا ', en: ' to ' },
  atLeast: { fa: 'دست‌کم ', en: 'at least ' },
  atMost: { fa: 'حداکثر ', en: 'at most ' },
  characters: { fa: 'کاراکتر', en: 'characters' },
  items: { fa: 'عضو', en: 'items' },
  raisedBy: { fa: 'در', en: 'at' },
  everywhere: { fa: 'در هر مسیری', en: 'at any route' },
} as const satisfies Record<string, Record<Language, string>>

export type PhraseKey = keyof typeof phrases

/** Types of JSON values. */
export const types: Record<string, Record<Language, string>> = {
  string: { fa: 'رشته', en: 'string' },
  integer: { fa: 'عدد صحیح', en: 'integer' },
  number: { fa: 'عدد', en: 'number' },
  boolean: { fa: 'درست یا نادرست', en: 'boolean' },
  object: { fa: 'شیء', en: 'object' },
  array: { fa: 'فهرست', en: 'list' },
  null: { fa: 'null', en: 'null' },
  any: { fa: 'هر مقدار', en: 'any value' },
}

/** Names of capabilities by the first part of their operations' names; a capability without an entry goes by that part. */
export const groups: Record<string, Record<Language, string>> = {
  models: { fa: 'مدل‌ها', en: 'Models' },
  chat: { fa: 'گفت‌وگو', en: 'Chat' },
  responses: { fa: 'پاسخ‌ها', en: 'Responses' },
  messages: { fa: 'پیام‌ها', en: 'Messages' },
  batches: { fa: 'دسته‌ها', en: 'Batches' },
  embeddings: { fa: 'بردارها', en: 'Embeddings' },
  images: { fa: 'تصویرها', en: 'Images' },
  studio: { fa: 'استودیو', en: 'Studio' },
  audio: { fa: 'صدا', en: 'Audio' },
  videos: { fa: 'ویدیوها', en: 'Videos' },
  realtime: { fa: 'تماس‌های صوتی', en: 'Voice calls' },
  voice: { fa: 'صفحهٔ تماس', en: 'Page of calls' },
  hooks: { fa: 'خبرهای فروشندگان', en: 'Webhooks of vendors' },
  agents: { fa: 'عامل‌ها', en: 'Agents' },
  work: { fa: 'کارها', en: 'Work' },
  knowledge: { fa: 'دانش', en: 'Knowledge' },
  talk: { fa: 'گفت‌وگو با مدل‌ها', en: 'Talk' },
  files: { fa: 'فایل‌ها', en: 'Files' },
  accounting: { fa: 'حساب و مصرف', en: 'Balance and usage' },
  requests: { fa: 'درخواست‌ها', en: 'Requests' },
  cloud: { fa: 'بک‌اند', en: 'Cloud' },
  sites: { fa: 'سایت‌ها', en: 'Sites' },
  sign_in: { fa: 'ورود', en: 'Sign-in' },
  sign_up: { fa: 'ثبت‌نام', en: 'Sign-up' },
  recovery: { fa: 'بازیابی گذرواژه', en: 'Forgotten passwords' },
  links: { fa: 'پیوندهای یک‌بارمصرف', en: 'One-time links' },
  openid: { fa: 'ورود با OpenID Connect', en: 'OpenID Connect' },
  step_up: { fa: 'تأیید دوبارهٔ هویت', en: 'Step-up' },
  me: { fa: 'خود شما', en: 'You' },
  webhooks: { fa: 'وب‌هوک‌ها', en: 'Webhooks' },
  factors: { fa: 'مرحلهٔ دوم ورود', en: 'Second factors' },
  passkeys: { fa: 'رمزهای دستگاه', en: 'Passkeys' },
  keys: { fa: 'کلیدها', en: 'Keys' },
  management_keys: { fa: 'کلیدهای مدیریتی', en: 'Management keys' },
  projects: { fa: 'پروژه‌ها', en: 'Projects' },
  account: { fa: 'حساب', en: 'Account' },
  members: { fa: 'عضوها', en: 'Members' },
  invitations: { fa: 'دعوت‌ها', en: 'Invitations' },
  audit: { fa: 'گزارش تغییرها', en: 'Audit log' },
  operator: { fa: 'گرداننده', en: 'Operator' },
  health: { fa: 'سلامت سرویس', en: 'Health' },
  docs: { fa: 'مستندات', en: 'Documentation' },
}

export interface Convention {
  id: string
  title: Record<Language, string>
  text: Record<Language, string[]>
}

/** Conventions that hold for every route. */
export const conventions: Convention[] = [
  {
    id: 'key',
    title: { fa: 'کلید و دسترسی', en: 'Key and scopes' },
    text: {
      fa: [
        'کلید پروژه را با هر درخواست بفرستید: `Authorization: Bearer khr_…`. هر کلید دسترسی‌هایی (scope) دارد و هر مسیر می‌گوید کدام را می‌خواهد.',
        'کلیدی که فرستاده نشود یا نادرست، منقضی یا باطل باشد `401` می‌گیرد؛ کلیدی که دسترسی لازم را ندارد `403`. چیزی که از پروژهٔ دیگری است درست مانند چیزی که نیست `404` می‌گیرد.',
      ],
      en: [
        'Send the key of your project with every request: `Authorization: Bearer khr_…`. A key has scopes, and each route names the one it needs.',
        'A key that is missing, mistyped, expired or revoked gets `401`; one that lacks the scope gets `403`. What belongs to another project answers exactly as a missing thing: `404`.',
      ],
    },
  },
  {
    id: 'credits',
    title: { fa: 'اعتبار', en: 'Credits' },
    text: {
      fa: [
        'درخواست نادرست پیش از کنارگذاشتن اعتبار رد می‌شود. سپس بیشترین هزینهٔ ممکن کنار گذاشته و پس از پاسخ به اندازهٔ مصرف واقعی تسویه می‌شود.',
        'هدر `X-Request-ID` هر پاسخ، شناسهٔ رسید آن است: `GET /v1/requests/{id}`. اگر موجودی یا سقف کافی نباشد `402` می‌گیرید و چیزی اجرا نمی‌شود.',
      ],
      en: [
        'A wrong request is refused before anything is reserved. Then the most that the call can cost is reserved, and after the answer it is settled at actual usage.',
        'The header `X-Request-ID` of an answer names its receipt: `GET /v1/requests/{id}`. Where balance or cap do not suffice you get `402` and nothing runs.',
      ],
    },
  },
  {
    id: 'idempotency',
    title: { fa: 'تکرار بی‌خطر', en: 'Safe repetition' },
    text: {
      fa: [
        'برای هر درخواست تازه یک `Idempotency-Key` تازه بسازید (تا ۱۲۸ کاراکتر). اگر پاسخ نرسید همان درخواست را با همان کلید دوباره بفرستید؛ فقط یک بار اجرا می‌شود.',
        'پاسخ JSON کوچک‌تر از یک مگابایت تا ۲۴ ساعت عیناً و با `Idempotent-Replayed: true` برمی‌گردد. تا وقتی در حال اجراست `IDEMPOTENCY_IN_PROGRESS`، برای جریان یا پاسخ بزرگ‌تر یا قدیمی‌تر `REQUEST_ALREADY_ACCEPTED` همراه شناسهٔ رسید، و با بدنهٔ دیگر `IDEMPOTENCY_CONFLICT` می‌گیرید. درخواستی که پیش از اجرا رد شده کلید را نمی‌سوزاند.',
      ],
      en: [
        'Make a new `Idempotency-Key` (up to 128 characters) for each new request. When no answer came, send the same request with the same key again: it runs only once.',
        'A JSON answer below 1 MB comes back to the byte for 24 hours, with `Idempotent-Replayed: true`. While the first still runs you get `IDEMPOTENCY_IN_PROGRESS`; for a stream and for a larger or older answer `REQUEST_ALREADY_ACCEPTED` with the id of the receipt; with another body `IDEMPOTENCY_CONFLICT`. A request refused before it ran does not burn the key.',
      ],
    },
  },
  {
    id: 'streaming',
    title: { fa: 'پاسخ جریانی', en: 'Streaming' },
    text: {
      fa: [
        'با `"stream": true` پاسخ به شکل رویدادهای سمت سرور (`text/event-stream`) می‌آید: هر رویداد یک سطر `data:` و در پایان `data: [DONE]`. در سکوت، دست‌کم هر ۱۵ ثانیه سطری توضیحی می‌آید تا ارتباط بماند.',
        'خطای میانهٔ راه به شکل `data: {"error": …}` می‌آید؛ جریانی که بریده شود هرگز پایانِ درست نشان داده نمی‌شود. اگر ارتباط را ببندید، آنچه ارائه‌دهنده واقعاً مصرف کرده حساب می‌شود.',
      ],
      en: [
        'With `"stream": true` the answer comes as server-sent events (`text/event-stream`): one `data:` line for each event, `data: [DONE]` at the end. In silence a comment line comes at least every 15 seconds, to keep the line open.',
        'A failure midway comes as `data: {"error": …}`; a cut stream is never shown as a good end. When you close the connection, what the provider really used is charged.',
      ],
    },
  },
  {
    id: 'error-body',
    title: { fa: 'شکل خطا', en: 'Shape of an error' },
    text: {
      fa: [
        'همهٔ خطاها یک شکل دارند. `code` پایدار است و برای برنامه؛ `message` برای آدم است و اگر `Accept-Language` فارسی را ترجیح دهد فارسی می‌آید. `param` نام فیلد نادرست است و `execution_started: false` یعنی چیزی اجرا و حساب نشده است.',
        'شناسهٔ درخواست در بدنه و در هر دو هدر `X-Request-ID` و `request-id` می‌آید. `x-should-retry: false` یعنی تکرار سودی ندارد؛ `Retry-After` می‌گوید کی دوباره بفرستید.',
      ],
      en: [
        'All errors have one shape. `code` is stable and for programs; `message` is for people, and in Persian when `Accept-Language` prefers it. `param` names the wrong field, and `execution_started: false` says that nothing ran and nothing was charged.',
        'The id of the request stands in the body and in both headers `X-Request-ID` and `request-id`. `x-should-retry: false` says that repeating does not help; `Retry-After` says when to try again.',
      ],
    },
  },
]
