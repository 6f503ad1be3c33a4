import { declareFailures, type Localized } from '#platform/errors'
import type { JsonTrouble } from '#platform/json'
import { persian, persianDigits } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    INTERNAL: Record<string, never>
    SERVICE_UNAVAILABLE: { why: 'database' | 'stopping' | 'storage' }
    INVALID_JSON: { why: Localized }
    INVALID_REQUEST: { why: Localized }
    UNKNOWN_FIELD: { field: string }
    BODY_TOO_LARGE: { limitBytes: number }
    TOO_MUCH_IN_FLIGHT: Record<string, never>
    ROUTE_NOT_FOUND: { method: string; path: string }
    METHOD_NOT_ALLOWED: { method: string; allowed: string[] }
    NOT_FOUND: Record<string, never>
    REQUEST_TIMEOUT: Record<string, never>
    HEADERS_TOO_LARGE: Record<string, never>
    RANGE_NOT_SATISFIABLE: { bytes: number }
    UPGRADE_REQUIRED: Record<string, never>
    TOO_MANY_CONNECTIONS: { max: number }
    CROSS_SITE_REQUEST: { address: string }
  }
}

declareFailures({
  CROSS_SITE_REQUEST: {
    status: 403,
    en: ({ address }) =>
      `A page of another origin sent this request. The pages of this service are at ${address}: open them there. If that is the wrong address, its operator has to set KHERAD_BASE_URL. Programs send a key in Authorization and no cookies.`,
    fa: ({ address }) =>
      `این درخواست را صفحه‌ای از مبدئی دیگر فرستاده است. صفحه‌های این سرویس در ${address} هستند؛ آن‌ها را همان‌جا باز کنید. اگر این نشانی درست نیست، گرداننده باید KHERAD_BASE_URL را تعیین کند. برنامه‌ها کلید را در Authorization می‌فرستند و کوکی نمی‌فرستند.`,
  },
  INTERNAL: {
    status: 500,
    en: () => 'Something went wrong on our side. Give the request id to the operator of this service.',
    fa: () => 'خطایی در سمت سرور رخ داد. شناسهٔ درخواست را به گردانندهٔ سرویس بدهید.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    en: ({ why }) =>
      why === 'stopping'
        ? 'The server is stopping; send the request again.'
        : why === 'storage'
          ? 'The bytes of this file wait on another machine of this service, since its store failed; ask again in a moment.'
          : 'The service cannot reach its database; send the request again in a moment.',
    fa: ({ why }) =>
      why === 'stopping'
        ? 'سرور در حال توقف است؛ درخواست را دوباره بفرستید.'
        : why === 'storage'
          ? 'بایت‌های این فایل روی دستگاه دیگری از این سرویس منتظرند، چون انبار از کار افتاده بود؛ کمی بعد دوباره بخواهید.'
          : 'سرویس به پایگاه داده دسترسی ندارد؛ کمی بعد دوباره بفرستید.',
  },
  INVALID_JSON: {
    status: 400,
    en: ({ why }) => `The body is not valid JSON: ${why.en}`,
    fa: ({ why }) => `بدنهٔ درخواست JSON معتبر نیست: ${why.fa}`,
  },
  INVALID_REQUEST: {
    status: 400,
    en: ({ why }) => `Invalid request: ${why.en}`,
    fa: ({ why }) => `درخواست نادرست است: ${why.fa}`,
  },
  UNKNOWN_FIELD: {
    status: 400,
    en: ({ field }) =>
      `Unknown field: ${field}. Remove it; this route takes only the fields of its documentation.`,
    fa: ({ field }) =>
      `فیلد ناشناخته: ${field}. آن را حذف کنید؛ این مسیر فقط فیلدهای مستندات خود را می‌پذیرد.`,
  },
  BODY_TOO_LARGE: {
    status: 413,
    retry: false,
    en: ({ limitBytes }) => `The body is larger than ${limitBytes} bytes, the limit of this route.`,
    fa: ({ limitBytes }) => `بدنهٔ درخواست از سقف این مسیر (${persian(limitBytes)} بایت) بزرگ‌تر است.`,
  },
  TOO_MUCH_IN_FLIGHT: {
    status: 503,
    en: () => 'The server has its hands full of large requests; send this one again in a moment.',
    fa: () => 'سرور اکنون درگیر درخواست‌های بزرگ دیگر است؛ کمی بعد دوباره بفرستید.',
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    en: ({ method, path }) => `There is no route ${method} ${path}. All routes: GET /docs`,
    fa: ({ method, path }) => `مسیر ${method} ${path} وجود ندارد. همهٔ مسیرها: GET /docs`,
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    en: ({ method, allowed }) => `This path does not take ${method}, only ${allowed.join(', ')}.`,
    fa: ({ method, allowed }) => `این مسیر ${method} نمی‌پذیرد؛ فقط ${allowed.join('، ')}.`,
  },
  NOT_FOUND: {
    status: 404,
    en: () => 'There is no such thing in this project.',
    fa: () => 'چنین چیزی در این پروژه نیست.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    en: () => 'The request did not arrive in time.',
    fa: () => 'درخواست در زمان مجاز کامل نرسید.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    en: () => 'The request headers are larger than 16 KB.',
    fa: () => 'هدرهای درخواست از ۱۶ کیلوبایت بزرگ‌ترند.',
  },
  UPGRADE_REQUIRED: {
    status: 426,
    retry: false,
    en: () => 'This path is a WebSocket; open it with a WebSocket client (Upgrade: websocket).',
    fa: () => 'این مسیر یک WebSocket است؛ آن را با کتابخانهٔ WebSocket باز کنید (Upgrade: websocket).',
  },
  TOO_MANY_CONNECTIONS: {
    status: 429,
    en: ({ max }) => `This key has ${max} connections open on this path; close one first.`,
    fa: ({ max }) => `این کلید ${persianDigits(max)} اتصال باز روی این مسیر دارد؛ نخست یکی را ببندید.`,
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    retry: false,
    en: ({ bytes }) =>
      `The file has ${bytes} bytes, and the Range begins after them; ask for an earlier part.`,
    fa: ({ bytes }) =>
      `این فایل ${persian(bytes)} بایت دارد و Range پس از پایان آن آغاز می‌شود؛ بخش پیش‌تری را بخواهید.`,
  },
})

/** Why a request is refused, for reasons that this room finds itself. */
export const reasons = {
  notMultipart: {
    en: 'the body is no whole multipart/form-data; let your client write it, with its own boundary, and send a short header for each part.',
    fa: 'بدنه یک multipart/form-data کامل نیست؛ نوشتن آن را به کتابخانهٔ خود بسپارید، با boundary خودش و هدرهای کوتاه برای هر بخش.',
  },
  noFile: (part: string): Localized => ({
    en: `the form has no file; send it as the part ${part}.`,
    fa: `فایلی در فرم نیست؛ آن را در بخش ${part} بفرستید.`,
  }),
  unknownFile: (parts: readonly string[]): Localized =>
    parts.length === 0
      ? {
          en: 'this route takes no files; leave it out.',
          fa: 'این مسیر فایلی نمی‌پذیرد؛ حذفش کنید.',
        }
      : {
          en: `nothing here reads a file in this part; a file is sent as the part ${parts.join(' or ')}.`,
          fa: `فایل این بخش اینجا خوانده نمی‌شود؛ فایل را در بخش ${parts.join(' یا ')} بفرستید.`,
        },
  manyFiles: (maxCount: number): Localized =>
    maxCount === 1
      ? {
          en: 'the form has more than one file; send one at a time.',
          fa: 'بیش از یک فایل در فرم است؛ هر بار یکی بفرستید.',
        }
      : {
          en: `the form has more than ${maxCount} of these files.`,
          fa: `بیش از ${persianDigits(maxCount)} تا از این فایل‌ها در فرم است.`,
        },
  manyFields: {
    en: 'the form has more parts than this route takes.',
    fa: 'بخش‌های فرم بیش از آن است که این مسیر می‌پذیرد.',
  },
  fieldTwice: { en: 'this field stands in the form twice.', fa: 'این فیلد دو بار در فرم آمده است.' },
  /** A text that was meant as a file stands in a field, so the sentence says where files go. */
  longField: (bytes: number, part: string | undefined): Localized => ({
    en: `this field is longer than ${bytes} bytes${part === undefined ? '' : `; a file is sent as the part ${part}`}.`,
    fa: `این فیلد بلندتر از ${persianDigits(bytes)} بایت است${part === undefined ? '' : `؛ فایل را در بخش ${part} بفرستید`}.`,
  }),
  notUtf8: { en: 'it is not UTF-8.', fa: 'UTF-8 نیست.' },
  tooDeep: (levels: number): Localized => ({
    en: `it is nested deeper than ${levels} levels.`,
    fa: `بیش از ${persianDigits(levels)} لایه تودرتو است.`,
  }),
  tooManyMembers: (max: number): Localized => ({
    en: `an object in it has more than ${max} fields.`,
    fa: `یک شیء در آن بیش از ${persianDigits(max)} فیلد دارد.`,
  }),
  tooManyValues: (max: number): Localized => ({
    en: `it holds more than ${max} values.`,
    fa: `بیش از ${persianDigits(max)} مقدار در آن است.`,
  }),
  tooManyLongNumbers: (max: number): Localized => ({
    en: `it holds more than ${max} numbers with more digits than a double keeps; send them as strings.`,
    fa: `بیش از ${persianDigits(max)} عدد با رقم‌هایی بیش از گنجایش double در آن است؛ آن‌ها را به‌صورت رشته بفرستید.`,
  }),
  longNumber: (max: number): Localized => ({
    en: `a number in it has more than ${max} digits.`,
    fa: `عددی در آن بیش از ${persianDigits(max)} رقم دارد.`,
  }),
  unexpectedAt: (position: number): Localized => ({
    en: `unexpected text at position ${position}.`,
    fa: `کاراکتر نابجا در جایگاه ${persianDigits(position)}.`,
  }),
  endsEarly: { en: 'it ends too early.', fa: 'ناتمام است.' },
  unreadable: { en: 'it cannot be parsed.', fa: 'خوانده نمی‌شود.' },
  encoded: (encoding: string): Localized => ({
    en: `the Content-Encoding ${encoding} is not supported; send the body as it is.`,
    fa: `از Content-Encoding ${encoding} پشتیبانی نمی‌شود؛ بدنه را فشرده نکنید.`,
  }),
  noHost: { en: 'the Host header is missing.', fa: 'هدر Host فرستاده نشده است.' },
  otherHost: {
    en: 'the request target names another host than the Host header, or none; name one host.',
    fa: 'هدف درخواست میزبانی جز آنچه در هدر Host است نام برده یا میزبانی ندارد؛ یک میزبان نام ببرید.',
  },
  twoHeaders: (name: string): Localized => ({
    en: `the header ${name} was sent more than once; send it once.`,
    fa: `هدر ${name} بیش از یک بار فرستاده شده است؛ آن را یک بار بفرستید.`,
  }),
  noWebSocket: {
    en: 'a WebSocket is opened with Sec-WebSocket-Version: 13 and a Sec-WebSocket-Key of 16 bytes.',
    fa: 'WebSocket با Sec-WebSocket-Version: 13 و یک Sec-WebSocket-Key شانزده‌بایتی باز می‌شود.',
  },
  noProtocols: {
    en: 'Sec-WebSocket-Protocol is a list of different names, separated by commas.',
    fa: 'Sec-WebSocket-Protocol فهرستی از نام‌های متفاوت است که با ویرگول لاتین جدا شده‌اند.',
  },
  notHttp: { en: 'this is not HTTP that can be read.', fa: 'این HTTP خوانا نیست.' },
  badRequestLine: {
    en: 'the request line or a header cannot be read.',
    fa: 'خط نخست درخواست یا یکی از هدرها خوانده نمی‌شود.',
  },
}

/** Why a body is not JSON. */
export function jsonTrouble(trouble: JsonTrouble): Localized {
  switch (trouble.kind) {
    case 'unexpected':
      return reasons.unexpectedAt(trouble.at)
    case 'tooDeep':
    case 'tooManyMembers':
    case 'tooManyValues':
    case 'tooManyLongNumbers':
    case 'longNumber':
      return reasons[trouble.kind](trouble.max)
    default:
      return reasons[trouble.kind]
  }
}
