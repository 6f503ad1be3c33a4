import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

/** Features that common clients have and buckets here do not. */
export type MissingBucketFeature = 'vectors' | 'analytics' | 'lifecycle' | 'versions'

declare module '#platform/errors' {
  interface Failures {
    BUCKET_NOT_FOUND: { bucket: string }
    BUCKET_EXISTS: { bucket: string }
    BUCKET_NOT_EMPTY: { bucket: string }
    BUCKET_INVALID: { why: Localized }
    BUCKETS_FULL: { maxFiles: number; maxBytes: number }
    BUCKETS_NOT_OFFERED: { what: MissingBucketFeature }
    OBJECT_NOT_FOUND: Record<string, never>
    OBJECT_EXISTS: Record<string, never>
    OBJECT_DENIED: Record<string, never>
    OBJECT_NAME_INVALID: { why: Localized }
    OBJECT_TOO_LARGE: { maxBytes: number }
    OBJECT_TYPE_REFUSED: { given: string }
    OBJECT_LINK_INVALID: Record<string, never>
    OBJECT_ROW_TOO_LARGE: { column: string; maxBytes: number }
    OBJECT_STATEMENT_FAILED: { message: string }
    OBJECT_STATEMENT_TIMEOUT: Record<string, never>
    OBJECT_NOT_RENDERED: { why: Localized }
    UPLOAD_NOT_FOUND: Record<string, never>
    UPLOAD_LOCKED: Record<string, never>
    UPLOAD_LONGER_THAN_SAID: { bytes: number }
    UPLOAD_OFFSET_WRONG: { offset: number }
    UPLOAD_HEADER_INVALID: { header: string }
    UPLOAD_TOO_MANY_PARTS: { max: number }
    UPLOADS_TOO_MANY: { max: number }
  }
}

const missing: Record<MissingBucketFeature, Localized> = {
  vectors: { en: 'Vector buckets', fa: 'باکت‌های برداری' },
  analytics: { en: 'Analytics buckets', fa: 'باکت‌های تحلیلی' },
  lifecycle: { en: 'Lifecycle rules of buckets', fa: 'قاعده‌های چرخهٔ عمر باکت' },
  versions: { en: 'Older versions of objects', fa: 'نسخه‌های پیشین فایل‌ها' },
}

declareFailures({
  BUCKET_NOT_FOUND: {
    status: 404,
    en: ({ bucket }) => `Bucket not found: ${bucket}. GET /v1/cloud/{id}/storage lists those there are.`,
    fa: ({ bucket }) => `باکت ${bucket} پیدا نشد. GET /v1/cloud/{id}/storage باکت‌ها را نشان می‌دهد.`,
  },
  BUCKET_EXISTS: {
    status: 409,
    en: ({ bucket }) => `A bucket called ${bucket} exists already; choose another name.`,
    fa: ({ bucket }) => `باکتی با نام ${bucket} هست؛ نام دیگری برگزینید.`,
  },
  BUCKET_NOT_EMPTY: {
    status: 409,
    en: ({ bucket }) => `The bucket ${bucket} is not empty: empty it first, then delete it.`,
    fa: ({ bucket }) => `باکت ${bucket} خالی نیست: نخست آن را خالی و سپس پاک کنید.`,
  },
  BUCKET_INVALID: {
    status: 400,
    en: ({ why }) => `A bucket cannot be like this: ${why.en}`,
    fa: ({ why }) => `این باکت پذیرفته نیست: ${why.fa}`,
  },
  BUCKETS_FULL: {
    status: 403,
    retry: false,
    en: ({ maxFiles, maxBytes }) =>
      `All files and objects of this app together are at most ${maxFiles} with ${maxBytes} bytes in all; delete some first.`,
    fa: ({ maxFiles, maxBytes }) =>
      `فایل‌های این برنامه، چه خصوصی و چه در باکت‌ها، روی هم حداکثر ${persian(maxFiles)} فایل و ${persian(maxBytes)} بایت‌اند؛ نخست چند فایل را پاک کنید.`,
  },
  BUCKETS_NOT_OFFERED: {
    status: 403,
    retry: false,
    en: ({ what }) =>
      `${missing[what]?.en ?? what} are not offered here; objects are stored in plain buckets.`,
    fa: ({ what }) =>
      `${missing[what]?.fa ?? what} اینجا ارائه نمی‌شود؛ فایل‌ها در باکت‌های ساده نگهداری می‌شوند.`,
  },
  OBJECT_NOT_FOUND: {
    status: 404,
    en: () => 'Object not found: none has this name, or no policy lets this caller see it.',
    fa: () =>
      'فایل پیدا نشد: یا فایلی با این نام نیست، یا هیچ policy دیدنش را برای این درخواست‌کننده آزاد نمی‌کند.',
  },
  OBJECT_EXISTS: {
    status: 409,
    en: () => 'The resource already exists; upload with upsert to replace it, or choose another name.',
    fa: () => 'فایلی با این نام هست؛ برای جایگزینی با upsert بفرستید یا نام دیگری برگزینید.',
  },
  OBJECT_DENIED: {
    status: 403,
    retry: false,
    en: () =>
      'A row-level security policy of storage.objects or storage.buckets does not allow this to this caller.',
    fa: () => 'policyهای storage.objects یا storage.buckets این کار را برای این درخواست‌کننده آزاد نکرده‌اند.',
  },
  OBJECT_NAME_INVALID: {
    status: 400,
    en: ({ why }) => `This is no name of an object: ${why.en}`,
    fa: ({ why }) => `این نام فایل پذیرفته نیست: ${why.fa}`,
  },
  OBJECT_TOO_LARGE: {
    status: 413,
    retry: false,
    en: ({ maxBytes }) =>
      `The object exceeded the maximum allowed size: this bucket takes at most ${maxBytes} bytes.`,
    fa: ({ maxBytes }) =>
      `فایل بزرگ‌تر از اندازهٔ مجاز است: این باکت حداکثر ${persian(maxBytes)} بایت می‌پذیرد.`,
  },
  OBJECT_TYPE_REFUSED: {
    status: 415,
    retry: false,
    en: ({ given }) => `mime type ${given} is not supported by this bucket; see its allowed_mime_types.`,
    fa: ({ given }) => `این باکت نوع ${given} را نمی‌پذیرد؛ allowed_mime_types آن را ببینید.`,
  },
  OBJECT_LINK_INVALID: {
    status: 400,
    retry: false,
    en: () =>
      'The token of this link is not valid: it was changed, is of another object, or has expired. Ask the app for a new one.',
    fa: () =>
      'توکن این پیوند درست نیست: دست خورده، از فایل دیگری است یا مهلتش گذشته است. از برنامه پیوند تازه بگیرید.',
  },
  OBJECT_ROW_TOO_LARGE: {
    status: 400,
    retry: false,
    en: ({ column, maxBytes }) =>
      `A row has more in ${column} than is read, ${maxBytes} bytes as text: make it smaller by SQL.`,
    fa: ({ column, maxBytes }) =>
      `محتوای ${column} در یکی از سطرها از ${persian(maxBytes)} بایت، که بیشترین اندازهٔ خواندنی است، بزرگ‌تر است: با SQL کوچکش کنید.`,
  },
  OBJECT_STATEMENT_FAILED: {
    status: 400,
    retry: false,
    en: ({ message }) => `The database of this app refused: ${message}`,
    fa: ({ message }) => `پایگاه دادهٔ این برنامه نپذیرفت: ${message}`,
  },
  OBJECT_STATEMENT_TIMEOUT: {
    status: 504,
    en: () =>
      'The database of this app took too long: look at the policies and triggers of schema storage, or send it again.',
    fa: () =>
      'پایگاه دادهٔ این برنامه بیش از اندازه طول داد: policyها و triggerهای storage را بررسی کنید یا دوباره بفرستید.',
  },
  OBJECT_NOT_RENDERED: {
    status: 400,
    retry: false,
    en: ({ why }) => `This picture is not rendered: ${why.en}`,
    fa: ({ why }) => `این تصویر در اندازهٔ خواسته‌شده داده نمی‌شود: ${why.fa}`,
  },
  UPLOAD_NOT_FOUND: {
    status: 404,
    en: () =>
      'There is no such upload of this caller: it is complete, was ended, or is older than a day. Begin a new one.',
    fa: () =>
      'این درخواست‌کننده چنین بارگذاری نیمه‌کاره‌ای ندارد: کامل شده، پایان داده شده یا بیش از یک روز از آن گذشته است. از نو آغاز کنید.',
  },
  UPLOAD_LOCKED: {
    status: 423,
    retry: true,
    en: () =>
      'Another request is sending or finishing this upload: ask with HEAD where it stands in a few seconds, and go on from there.',
    fa: () =>
      'درخواست دیگری در حال فرستادن یا پایان‌دادن این بارگذاری است: چند ثانیهٔ دیگر با HEAD جای آن را بپرسید و از همان‌جا ادامه دهید.',
  },
  UPLOAD_LONGER_THAN_SAID: {
    status: 413,
    retry: false,
    en: ({ bytes }) =>
      `More bytes came than the Upload-Length of ${bytes} has room for; nothing of this part was kept. Begin again with the true length.`,
    fa: ({ bytes }) =>
      `بایت‌های رسیده از Upload-Length، یعنی ${persian(bytes)} بایت، بیشترند و از این تکه چیزی نگه داشته نشد. با اندازهٔ درست از نو آغاز کنید.`,
  },
  UPLOAD_OFFSET_WRONG: {
    status: 409,
    en: ({ offset }) => `Upload-Offset is not where this upload stands: go on at ${offset}.`,
    fa: ({ offset }) => `Upload-Offset با جای این بارگذاری یکی نیست: از ${persian(offset)} ادامه دهید.`,
  },
  UPLOAD_HEADER_INVALID: {
    status: 400,
    retry: false,
    en: ({ header }) => `The header ${header} is missing or is not what TUS 1.0.0 has there.`,
    fa: ({ header }) => `هدر ${header} نیست یا آن‌گونه نیست که TUS 1.0.0 می‌خواهد.`,
  },
  UPLOAD_TOO_MANY_PARTS: {
    status: 413,
    retry: false,
    en: ({ max }) => `An upload has at most ${max} parts; send larger ones, 6 MiB each.`,
    fa: ({ max }) => `هر بارگذاری حداکثر ${persian(max)} تکه دارد؛ تکه‌های بزرگ‌تر بفرستید، هر یک ۶ مبی‌بایت.`,
  },
  UPLOADS_TOO_MANY: {
    status: 429,
    en: ({ max }) =>
      `This caller may have at most ${max} unfinished uploads; finish or end some, or wait until they expire after a day.`,
    fa: ({ max }) =>
      `این درخواست‌کننده حداکثر ${persian(max)} بارگذاری نیمه‌کاره می‌تواند داشته باشد؛ چند تا را تمام کنید یا پایان دهید، یا منتظر بمانید تا پس از یک روز مهلتشان بگذرد.`,
  },
})
