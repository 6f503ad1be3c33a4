/** The operator's mail server, which sends the mails of apps to their users. */
import { type Static, Type } from 'typebox'
import { fileSection, integerIn, readingRules, refusals, refuseConfig } from '#platform/config'
import { type CaConfig, type ProxyConfig, proxySetting, tlsSetting } from '#platform/proxy/settings'

declare module '#platform/config' {
  interface Settings {
    /** If absent, no mails are sent. */
    mail: MailConfig | undefined
  }
}

export interface MailConfig {
  host: string
  port: number
  /** True for TLS from the first byte; otherwise STARTTLS is used. */
  secure: boolean
  login: { user: string; password: string } | undefined
  from: { name: string; address: string }
  proxy: ProxyConfig | 'direct' | undefined
  ca: CaConfig | undefined
}

const from = {
  en: 'the address that mails come from, such as "Kherad <no-reply@example.org>"',
  fa: 'نشانی فرستندهٔ نامه‌ها، مانند "Kherad <no-reply@example.org>"',
}
const server = {
  en: 'the name of the mail server, such as smtp.example.org',
  fa: 'نام سرور ایمیل، مانند smtp.example.org',
}

const Mail = Type.Object(
  {
    host: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9.:-]{1,253}$', ...readingRules({ expected: server }) }),
    ),
    port: Type.Optional(integerIn(1, 65_535, { description: '465 with secure, else 587.' })),
    secure: Type.Optional(
      Type.Boolean({ description: 'TLS from the first byte, as on port 465; otherwise STARTTLS.' }),
    ),
    user: Type.Optional(
      Type.String({ maxLength: 320, ...readingRules({ expected: { en: 'a login', fa: 'نام ورود' } }) }),
    ),
    password: Type.Optional(
      Type.String({
        maxLength: 1_000,
        ...readingRules({ secret: true, expected: { en: 'a password', fa: 'گذرواژه' } }),
      }),
    ),
    from: Type.Optional(Type.String({ maxLength: 400, ...readingRules({ expected: from }) })),
    proxy: proxySetting,
    tls: Type.Optional(tlsSetting),
  },
  { default: {} },
)

export const mail = fileSection({
  name: 'mail',
  schema: Mail,
  read(typed, { at }) {
    if (Object.keys(typed).length === 0) return undefined
    const where = (member: string): string => at()?.sourcePosition(member) ?? `mail.${member}`
    const need = (member: 'host' | 'from' | 'user' | 'password', why: typeof from): string =>
      typed[member] || refuseConfig(refusals.missing(where(member), why))
    const host = need('host', { en: `write ${server.en}`, fa: `${server.fa} را بنویسید` })
    const sender = readSender(need('from', { en: `write ${from.en}`, fa: `${from.fa} را بنویسید` }))
    const secure = typed.secure ?? typed.port === 465
    return {
      host,
      port: typed.port ?? (secure ? 465 : 587),
      secure,
      login: loginOf(typed, need),
      from: sender ?? at('from')!.refuseValue(from),
      proxy: typed.proxy,
      ca: typed.tls?.ca_file as CaConfig | undefined,
    }
  },
})

/** The login: both members or none, since half a login is probably an oversight. */
function loginOf(
  { user, password }: Static<typeof Mail>,
  need: (member: 'user' | 'password', why: typeof from) => string,
): MailConfig['login'] {
  if (user === undefined && password === undefined) return undefined
  const both = {
    en: 'user and password stand together; write both, or neither for a server that asks for none',
    fa: 'user و password با هم می‌آیند؛ هر دو را بنویسید، یا برای سروری که نمی‌خواهد هیچ‌کدام را',
  }
  return { user: need('user', both), password: need('password', both) }
}

/** Reads `Name <address>` or an address alone, in ASCII and without characters that end a header line. */
function readSender(text: string): MailConfig['from'] | undefined {
  const open = text.endsWith('>') ? text.lastIndexOf('<') : -1
  const address = open === -1 ? text : text.slice(open + 1, -1)
  const written = open === -1 ? '' : text.slice(0, open).trim()
  const name = /^"[^"]*"$/.test(written) ? written.slice(1, -1) : written
  const isAddress = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9.-]{1,253}$/.test(address)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they would end the header line.
  const isClean = !/[\u0000-\u001f\u007f\u2028\u2029]/.test(text)
  return isAddress && isClean && !/["\\<>]/.test(name) ? { name, address } : undefined
}
