import type { Sentence } from '#platform/config'

/** What the settings of the gateway expect, for refusals of the start. */
export const sentences = {
  url: {
    en: 'the address of the gateway that begins with https://, without user, password and #; http:// is for addresses of the own network alone',
    fa: 'نشانی درگاه را که با https:// آغاز شود، بدون نام کاربری، گذرواژه و #؛ http:// فقط برای نشانی‌های شبکهٔ خودتان است',
  },
  header: {
    en: 'a header as name: text, of printable ASCII; Host, Content-Length, Transfer-Encoding and Connection follow by themselves',
    fa: 'هدر را به شکل نام: متن و با کاراکترهای ASCII؛ Host، Content-Length، Transfer-Encoding و Connection خودکار می‌آیند',
  },
  template: {
    en: 'a mapping of names to values, with "{to:09}" and "{code}" in quotes',
    fa: 'نام‌ها را با مقدارشان، با "{to:09}" و "{code}" در گیومه',
  },
  placeholders: (known: readonly string[], kind: string): Sentence => {
    const names = known.map((name) => `{${name}}`)
    const flat = kind === 'json' ? '' : `, without nested values, since kind is ${kind}`
    const persianFlat = kind === 'json' ? '' : `، بدون مقدارهای تودرتو چون kind برابر ${kind} است`
    const code = known.includes('code')
    return {
      en: `a mapping with the number${code ? ' and {code}' : ''} in its texts, in quotes; known are ${names.join(', ')}${flat}`,
      fa: `نام‌ها را با مقدارشان، با شماره${code ? ' و {code}' : ''} در متن‌ها و در گیومه؛ این‌ها شناخته‌اند: ${names.join('، ')}${persianFlat}`,
    }
  },
  pointer: {
    en: 'a JSON pointer, such as /return/status',
    fa: 'یک JSON pointer مانند /return/status',
  },
  success: {
    en: 'pointer and equals together, as pointer: /return/status and equals: 200, or neither',
    fa: 'pointer و equals را با هم، مانند pointer: /return/status و equals: 200، یا هیچ‌کدام را',
  },
  prefix: {
    en: 'the beginning of numbers with + and country, in quotes, such as "+98"',
    fa: 'آغاز شماره‌ها با + و کد کشور و در گیومه، مانند "+98"',
  },
} satisfies Record<string, Sentence | ((known: readonly string[], kind: string) => Sentence)>
