import { expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { loadConfig } from '#settings'

const read = (s3: string, variables: Record<string, string> = {}) =>
  loadConfig(readEnv(variables), `storage:\n  s3: ${s3}`).storage

const complete =
  "{ endpoint: 'https://s3.test/', bucket: kept, access_key_id: id, secret_access_key: '$SECRET' }".replace(
    '$SECRET',
    `$\{SECRET}`,
  )

test('a store is read with its secret from the environment, and sensible settings where none are written', () => {
  expect(read(complete, { SECRET: 'hidden' })).toEqual({
    s3: {
      endpoint: 'https://s3.test',
      region: 'us-east-1',
      bucket: 'kept',
      accessKeyId: 'id',
      secretAccessKey: 'hidden',
      pathStyle: true,
    },
  })
  expect(loadConfig(readEnv({}), '').storage).toEqual({})
})

test.each([
  ['{ bucket: kept, access_key_id: id, secret_access_key: s }', 'storage.s3.endpoint is missing'],
  [
    "{ endpoint: 'https://s3.test', access_key_id: id, secret_access_key: s }",
    'storage.s3.bucket is missing',
  ],
  [
    "{ endpoint: 'https://s3.test', bucket: kept, secret_access_key: s }",
    'storage.s3.access_key_id is missing',
  ],
  [
    "{ endpoint: 'https://s3.test', bucket: kept, access_key_id: id }",
    'storage.s3.secret_access_key is missing',
  ],
  [
    '{ endpoint: s3.test, bucket: kept, access_key_id: id, secret_access_key: s }',
    'an http:// or https:// address',
  ],
  [
    "{ endpoint: 'https://s3.test', bucket: Kept_1, access_key_id: id, secret_access_key: s }",
    'the name of a bucket',
  ],
  [
    "{ endpoint: 'https://s3.test', bucket: ab, access_key_id: id, secret_access_key: s }",
    'the name of a bucket',
  ],
  [
    "{ endpoint: 'https://s3.test', bucket: kept, access_key_id: 'a b', secret_access_key: s }",
    'a key without blanks',
  ],
  [
    "{ endpoint: 'https://s3.test', bucket: kept, region: 'EU 1', access_key_id: id, secret_access_key: s }",
    'a region',
  ],
  [
    `{ endpoint: 'https://s3.test', bucket: kept, access_key_id: id, secret_access_key: s, path_style: yes! }`,
    'true or false',
  ],
  [
    "{ endpoint: 'https://s3.test', bucket: kept, access_key_id: id, secret_access_key: s, acl: public }",
    'not a known entry',
  ],
  [complete, '{SECRET}, which is not set'],
])('half a store is refused in a sentence: %s', (s3, sentence) => {
  expect(() => read(s3)).toThrow(sentence)
})

test('the secret of a store stands in no refusal', () => {
  const faulty = complete.replace('bucket: kept', 'bucket: K')
  expect(() => read(faulty, { SECRET: 'hidden' })).toThrow(/^(?!.*hidden)/)
})
