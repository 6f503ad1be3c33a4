/** What a JSON Schema check found, in words. */
import type { ErrorObject } from 'ajv/dist/2020.js'
import type { Told } from '#platform/errors'
import { noNulPattern, uuidPattern } from '#platform/schema'
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
      en: `must be ${types.map((name: string) => typeNames[name]?.en ?? name).join(' or ')}`,
      fa: `باید ${types.map((name: string) => typeNames[name]?.fa ?? name).join(' یا ')} باشد`,
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
  minLength: ({ limit: least }) =>
    least === 1
      ? { en: 'must not be empty', fa: 'نباید خالی باشد' }
      : {
          en: `must have at least ${least} characters`,
          fa: `باید دست‌کم ${persian(least)} نویسه داشته باشد`,
        },
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
  pattern: ({ pattern }) =>
    patterns[pattern] ?? { en: `must match ${pattern}`, fa: `باید با الگوی ${pattern} بخواند` },
}

/** What a person can mend without reading a regular expression. */
const patterns: Record<string, Told> = {
  [uuidPattern]: {
    en: 'must be an id as this service gives it (a UUID)',
    fa: 'باید شناسه‌ای باشد که همین سرور داده است (UUID)',
  },
  [noNulPattern]: {
    en: 'must not contain the character U+0000',
    fa: 'نباید نویسهٔ U+0000 داشته باشد',
  },
}

const typeNames: Record<string, Told> = {
  string: { en: 'a string', fa: 'رشته' },
  number: { en: 'a number', fa: 'عدد' },
  integer: { en: 'an integer', fa: 'عدد صحیح' },
  boolean: { en: 'true or false', fa: 'true یا false' },
  object: { en: 'an object', fa: 'شیء' },
  array: { en: 'an array', fa: 'فهرست' },
}
