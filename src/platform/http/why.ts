/** What a JSON Schema check found, in words. */
import type { ErrorObject } from 'ajv/dist/2020.js'
import type { Told } from '#platform/errors'
import { persian } from './words.ts'

/** `path` is that of the offending field; empty for the body itself. */
export function whyOf(error: ErrorObject, path: string): Told {
  const said = (sentences[error.keyword] ?? otherwise)(error.params, error.message)
  return {
    en: `${path === '' ? 'the body' : path} ${said.en}.`,
    fa: `${path === '' ? 'بدنهٔ درخواست' : path} ${said.fa}.`,
  }
}

type Params = ErrorObject['params']
type Sentence = (params: Params, message?: string) => Told

const otherwise: Sentence = (_params, message) => ({ en: message ?? 'is not valid', fa: 'معتبر نیست' })
const listed = (values: unknown[], comma: string): string =>
  values.map((value) => JSON.stringify(value)).join(comma)

const limit =
  (en: (limit: number) => string, fa: (limit: string) => string): Sentence =>
  ({ limit }) => ({ en: en(limit), fa: fa(persian(limit)) })

const sentences: Record<string, Sentence> = {
  required: () => ({ en: 'is required', fa: 'الزامی است' }),
  const: ({ allowedValue }) => ({
    en: `must be ${JSON.stringify(allowedValue)}`,
    fa: `باید ${JSON.stringify(allowedValue)} باشد`,
  }),
  enum: ({ allowedValues }) => ({
    en: `must be one of ${listed(allowedValues, ', ')}`,
    fa: `باید یکی از این‌ها باشد: ${listed(allowedValues, '، ')}`,
  }),
  type: ({ type }) => {
    const types = [type].flat().flatMap((name: string) => name.split(','))
    return {
      en: `must be ${types.join(' or ')}`,
      fa: `باید ${types.map((name: string) => typeNames[name] ?? name).join(' یا ')} باشد`,
    }
  },
  discriminator: () => ({ en: 'has a value that is not known', fa: 'مقدار ناشناخته‌ای دارد' }),
  minimum: limit(
    (n) => `must be at least ${n}`,
    (n) => `باید دست‌کم ${n} باشد`,
  ),
  maximum: limit(
    (n) => `must be at most ${n}`,
    (n) => `باید حداکثر ${n} باشد`,
  ),
  minLength: limit(
    (n) => `must have at least ${n} characters`,
    (n) => `باید دست‌کم ${n} نویسه داشته باشد`,
  ),
  maxLength: limit(
    (n) => `must have at most ${n} characters`,
    (n) => `باید حداکثر ${n} نویسه داشته باشد`,
  ),
  minItems: limit(
    (n) => `must have at least ${n} items`,
    (n) => `باید دست‌کم ${n} عضو داشته باشد`,
  ),
  maxItems: limit(
    (n) => `must have at most ${n} items`,
    (n) => `باید حداکثر ${n} عضو داشته باشد`,
  ),
  pattern: ({ pattern }) => ({ en: `must match ${pattern}`, fa: `باید با الگوی ${pattern} بخواند` }),
}

const typeNames: Record<string, string> = {
  string: 'رشته',
  number: 'عدد',
  integer: 'عدد صحیح',
  boolean: 'true یا false',
  object: 'شیء',
  array: 'فهرست',
}
