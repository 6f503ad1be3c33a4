import type { Dialect, ProviderConfig, TimeoutsConfig } from './config.ts'
import { readProxy } from './proxy-entries.ts'
import { refuse } from './refuse.ts'
import { readTls } from './tls-entries.ts'
import { words } from './words.ts'
import type { Place } from './yaml-reader.ts'

/** Patience with an upstream that names none (decisions §3). */
export const defaultTimeouts: TimeoutsConfig = {
  connectMs: 5_000,
  firstByteMs: 30_000,
  firstTokenMs: 12_000,
  idleMs: 20_000,
  totalMs: 600_000,
}

const dialects: readonly Dialect[] = ['chat', 'responses', 'messages', 'images']
const hour = 3_600_000
/** Set by the client itself; an entry that overrides them would break every request. */
const ownHeaders = [
  'host',
  'content-length',
  'content-type',
  'transfer-encoding',
  'connection',
  'accept-encoding',
]

export function readProviders(place: Place | undefined): ProviderConfig[] {
  const providers: ProviderConfig[] = []
  for (const entry of place?.list() ?? []) {
    const provider = readProvider(entry)
    if (providers.some(({ id }) => id === provider.id))
      refuse(words.duplicate(entry.where('id'), provider.id))
    providers.push(provider)
  }
  return providers
}

function readProvider(entry: Place): ProviderConfig {
  const members = entry.members([
    'id',
    'base_url',
    'api_key',
    'dialects',
    'timeouts',
    'on_disconnect',
    'max_drains',
    'headers',
    'pass_traceparent',
    'takes_links',
    'proxy',
    'tls',
    'takes_reasoning_budget',
  ])
  const idPlace = members.need('id', {
    en: 'give the provider a short name',
    fa: 'نامی کوتاه برای ارائه‌دهنده بنویسید',
  })
  const id = idPlace.text(
    { en: 'a short name of small letters, digits, - and _', fa: 'نامی کوتاه از حروف کوچک لاتین، رقم، - و _' },
    /^[a-z0-9][a-z0-9_-]{0,63}$/,
  )
  if (id === 'sandbox') {
    refuse(
      words.conflict(idPlace.where(), {
        en: 'is sandbox, which is the name of the built-in simulator: choose another name',
        fa: 'برابر sandbox است که نام شبیه‌ساز درونی است: نام دیگری برگزینید',
      }),
    )
  }
  const base = members.need('base_url', {
    en: 'write the address of its API, for example http://127.0.0.1:9000/v1',
    fa: 'نشانی API آن را بنویسید، برای نمونه http://127.0.0.1:9000/v1',
  })
  const apiKey = members.get('api_key')?.secret({
    en: `the key in quotes, or the variable that holds it: "\${VENDOR_KEY}"`,
    fa: `کلید را در گیومه، یا متغیری که آن را دارد ("\${VENDOR_KEY}")`,
  })
  const takesLinks = members.get('takes_links')?.flag()
  const proxy = members.get('proxy')
  const baseUrl = readBaseUrl(base)
  const takesReasoningBudget = members.get('takes_reasoning_budget')?.flag() ?? knownForBudgets(baseUrl)
  const maxDrains = members.get('max_drains')?.number({ min: 1, max: 100_000, integer: true })
  return {
    id,
    baseUrl,
    ...(apiKey !== undefined && { apiKey }),
    dialects: readDialects(members.get('dialects')),
    timeouts: readTimeouts(members.get('timeouts')),
    onDisconnect: members.get('on_disconnect')?.oneOf(['cancel', 'drain'] as const) ?? 'cancel',
    ...(maxDrains !== undefined && { maxDrains }),
    headers: readHeaders(members.get('headers')),
    ...(members.get('pass_traceparent')?.flag() && { passTraceparent: true }),
    ...(takesLinks !== undefined && { takesLinks }),
    ...(proxy && { proxy: readProxy(proxy) }),
    ...readTls(members.get('tls')),
    ...(takesReasoningBudget !== undefined && { takesReasoningBudget }),
  }
}

/** Elsewhere the wire decides. */
const knownForBudgets = (baseUrl: string): true | undefined =>
  new URL(baseUrl).hostname === 'openrouter.ai' ? true : undefined

export function readBaseUrl(place: Place): string {
  const expected = {
    en: 'an http:// or https:// address without key, query or fragment',
    fa: 'نشانی‌ای با http:// یا https:// و بدون کلید، پرسش و #',
  }
  const text = place.text(expected)
  // What stands before an @ or behind a ? may be a key.
  const refuseIt = (): never => (/[@?#]/.test(text) ? place.unusable(expected) : place.wrong(expected))
  const url = URL.canParse(text) ? new URL(text) : refuseIt()
  const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!plain || (url.protocol !== 'http:' && url.protocol !== 'https:')) refuseIt()
  return text.replace(/(?<!\/)\/+$/, '')
}

function readDialects(place: Place | undefined): Dialect[] {
  const chosen = place?.someOf(dialects) ?? ['chat']
  if (chosen.length === 0)
    place?.wrong({ en: `at least one of ${dialects.join(', ')}`, fa: `دست‌کم یکی از ${dialects.join('، ')}` })
  return chosen
}

function readTimeouts(place: Place | undefined): TimeoutsConfig {
  const members = place?.members(['connect_ms', 'first_byte_ms', 'first_token_ms', 'idle_ms', 'total_ms'])
  const read = (name: string, standard: number) =>
    members?.get(name)?.number({ min: 1, max: hour, integer: true }) ?? standard
  return {
    connectMs: read('connect_ms', defaultTimeouts.connectMs),
    firstByteMs: read('first_byte_ms', defaultTimeouts.firstByteMs),
    firstTokenMs: read('first_token_ms', defaultTimeouts.firstTokenMs),
    idleMs: read('idle_ms', defaultTimeouts.idleMs),
    totalMs: read('total_ms', defaultTimeouts.totalMs),
  }
}

function readHeaders(place: Place | undefined): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(place?.textMap() ?? {})) {
    const lower = name.toLowerCase()
    if (
      !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) ||
      ownHeaders.includes(lower) ||
      !/^[ -~]*$/.test(value)
    ) {
      refuse(
        words.conflict(place?.where(name) ?? name, {
          en: `cannot be sent: write a plain header that is none of ${ownHeaders.join(', ')}`,
          fa: `فرستادنی نیست: سرایندی ساده بنویسید که هیچ‌یک از این‌ها نباشد: ${ownHeaders.join('، ')}`,
        }),
      )
    }
    headers[lower] = value
  }
  return headers
}
