import type { S3Config, StorageConfig } from './config.ts'
import { readBaseUrl } from './provider-entries.ts'
import type { Members, Place } from './yaml-reader.ts'

/** Where bytes are kept: the data folder, unless an S3-compatible store is named. */
export function readStorage(place: Place | undefined): StorageConfig {
  const s3 = place?.members(['s3']).get('s3')
  return s3 ? { s3: readS3(s3) } : {}
}

function readS3(place: Place): S3Config {
  const members = place.members([
    'endpoint',
    'region',
    'bucket',
    'access_key_id',
    'secret_access_key',
    'path_style',
  ])
  const endpoint = members.need('endpoint', {
    en: 'write the address of the store, for example https://s3.eu-central-1.amazonaws.com or http://127.0.0.1:9000',
    fa: 'نشانی انبار را بنویسید، برای نمونه https://s3.eu-central-1.amazonaws.com یا http://127.0.0.1:9000',
  })
  const bucket = members.need('bucket', {
    en: 'write the name of the bucket, which must exist',
    fa: 'نام باکت را بنویسید؛ باید از پیش ساخته شده باشد',
  })
  return {
    endpoint: readBaseUrl(endpoint),
    region: members.get('region')?.text(region, /^[a-z0-9-]{1,64}$/) ?? 'us-east-1',
    bucket: bucket.text(bucketName, /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
    accessKeyId: secret(members, 'access_key_id', {
      en: 'write the id of the access key',
      fa: 'شناسهٔ کلید دسترسی را بنویسید',
    }),
    secretAccessKey: secret(members, 'secret_access_key', {
      en: 'write the secret of the access key, or the name of its variable',
      fa: 'راز کلید دسترسی یا نام متغیر آن را بنویسید',
    }),
    pathStyle: members.get('path_style')?.flag() ?? true,
  }
}

const region = {
  en: 'a region of small letters, digits and -, such as eu-central-1, auto or us-east-1',
  fa: 'ناحیه‌ای از حروف کوچک لاتین، رقم و -، مانند eu-central-1 یا auto یا us-east-1',
}
const bucketName = {
  en: 'the name of a bucket: 3 to 63 small letters, digits, - and .',
  fa: 'نام یک باکت: ۳ تا ۶۳ حرف کوچک لاتین، رقم، - و .',
}

function secret(members: Members, name: string, mend: { en: string; fa: string }): string {
  return members
    .need(name, mend)
    .secret({ en: 'a key without blanks', fa: 'کلیدی بدون فاصله' }, /^[!-~]{1,512}$/)
}
