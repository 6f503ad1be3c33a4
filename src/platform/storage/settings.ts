/** Where bytes are stored: in the data folder, unless an S3-compatible store is configured. */
import { Type } from 'typebox'
import { baseUrl, fileSection, readingRules } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    storage: StorageConfig
  }
}

/** Where bytes are stored: in the S3-compatible store, otherwise in the data folder. */
export interface StorageConfig {
  s3?: S3Config
}

/** A bucket of an S3-compatible store. */
export interface S3Config {
  /** The address of the store, without a slash at the end. */
  endpoint: string
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  /** True if the bucket is in the path, not in the host name. */
  pathStyle: boolean
}

const region = {
  en: 'a region of small letters, digits and -, such as eu-central-1, auto or us-east-1',
  fa: 'ناحیه‌ای از حروف کوچک لاتین، رقم و -، مانند eu-central-1 یا auto یا us-east-1',
}
const bucketName = {
  en: 'the name of a bucket: 3 to 63 small letters, digits, - and .',
  fa: 'نام یک باکت: ۳ تا ۶۳ حرف کوچک لاتین، رقم، - و .',
}

const secretKey = (missing: { en: string; fa: string }) =>
  Type.String({
    pattern: '^[!-~]{1,512}$',
    ...readingRules({
      missing,
      secret: true,
      expected: { en: 'a key without blanks', fa: 'کلیدی بدون فاصله' },
    }),
  })

const S3 = Type.Object({
  endpoint: baseUrl({
    missing: {
      en: 'write the address of the store, for example https://s3.eu-central-1.amazonaws.com or http://127.0.0.1:9000',
      fa: 'نشانی انبار را بنویسید، برای نمونه https://s3.eu-central-1.amazonaws.com یا http://127.0.0.1:9000',
    },
  }),
  region: Type.String({
    pattern: '^[a-z0-9-]{1,64}$',
    default: 'us-east-1',
    ...readingRules({ expected: region }),
  }),
  bucket: Type.String({
    pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
    ...readingRules({
      missing: {
        en: 'write the name of the bucket, which must exist',
        fa: 'نام باکت را بنویسید؛ باید از پیش ساخته شده باشد',
      },
      expected: bucketName,
    }),
  }),
  access_key_id: secretKey({ en: 'write the id of the access key', fa: 'شناسهٔ کلید دسترسی را بنویسید' }),
  secret_access_key: secretKey({
    en: 'write the secret of the access key, or the name of its variable',
    fa: 'راز کلید دسترسی یا نام متغیر آن را بنویسید',
  }),
  path_style: Type.Boolean({
    default: true,
    description: 'The bucket stands in the path, and not before the host.',
  }),
})

export const storage = fileSection({
  name: 'storage',
  schema: Type.Object({ s3: Type.Optional(S3) }, { default: {} }),
  read: ({ s3 }) =>
    s3
      ? {
          s3: {
            endpoint: s3.endpoint,
            region: s3.region,
            bucket: s3.bucket,
            accessKeyId: s3.access_key_id,
            secretAccessKey: s3.secret_access_key,
            pathStyle: s3.path_style,
          },
        }
      : {},
})
