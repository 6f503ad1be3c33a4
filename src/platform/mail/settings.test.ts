import { expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { loadConfig } from '#settings'

const read = (mail: string) => loadConfig(readEnv({ KHERAD_LOCALE: 'en' }), `mail:\n${mail}`).mail
const server = '  host: smtp.example.org\n'
const from = '  from: Kherad <no-reply@example.org>\n'

test('without the section no mails are sent', () => {
  expect(loadConfig(readEnv({}), '').mail).toBeUndefined()
})

test('port and TLS follow from each other', () => {
  expect(read(server + from)).toMatchObject({
    host: 'smtp.example.org',
    port: 587,
    secure: false,
    login: undefined,
  })
  expect(read(`${server}${from}  port: 465\n`)).toMatchObject({ port: 465, secure: true })
  expect(read(`${server}${from}  secure: true\n`)).toMatchObject({ port: 465, secure: true })
  expect(read(`${server}${from}  port: 2465\n  secure: true\n`)).toMatchObject({ port: 2465, secure: true })
})

test.each([
  ['a server without a sender', server, /mail.*from is missing/],
  ['a sender without a server', from, /mail.*host is missing/],
  [
    'a user without a password',
    `${server}${from}  user: kherad\n`,
    /password is missing: user and password stand together/,
  ],
  [
    'a password without a user',
    `${server}${from}  password: secret\n`,
    /user is missing: user and password stand together/,
  ],
])('%s stops the start', (_what, mail, says) => {
  expect(() => read(mail)).toThrow(says)
})

test.each([
  ['no-reply@example.org', { name: '', address: 'no-reply@example.org' }],
  ['"خرد <no-reply@example.org>"', { name: 'خرد', address: 'no-reply@example.org' }],
  [
    '\'"Kherad, the server" <no-reply@example.org>\'',
    { name: 'Kherad, the server', address: 'no-reply@example.org' },
  ],
])('the sender %s', (text, sender) => {
  expect(read(`${server}  from: ${text}\n`)?.from).toEqual(sender)
})

test.each([
  'no-reply',
  '"a@example.org\\r\\nBcc: b@example.org"',
  '"Kherad\\n <a@example.org>"',
  '"<a@example.org> <b@example.org>"',
  '"a@example.org, b@example.org"',
])('the sender %s stops the start', (text) => {
  expect(() => read(`${server}  from: ${text}\n`)).toThrow(/mail\.from is/)
})
