/** Checks the configuration, the models and the providers behind them, each of which is called. */
import assert from 'node:assert/strict'
import { type AnyModel, type Catalogue, isRemote, type ProviderConfig } from '#core/models'
import type { Upstream } from '#core/routing'
import type { Env } from '#platform/config'
import { type Outbound, ProxyFailed, redactedProxy } from '#platform/proxy'
import { connect, openNet } from '../../src/connect.ts'
import { readCatalogue } from '../account/catalogue.ts'
import type { BilingualText } from '../command.ts'
import { broken, type DoctorCheck, ok, reasonOf, warned } from './check.ts'
import { skipBecauseOf } from './database.ts'
import { checkDedicated } from './dedicated.ts'
import { checkMetrics } from './machine.ts'
import { checkMail } from './mail.ts'
import { checkOutbound } from './outbound.ts'
import { providerPhrases as words } from './provider-phrases.ts'
import { checkSms } from './sms.ts'
import { checkVendorModels } from './vendor-models.ts'
import { checkVoice } from './voice.ts'

const pingMs = 5_000

/** Runs the checks. What would stop the start of a server is reported here with the same sentences. */
export async function checkProviders(env: Env, fileIsThere: boolean): Promise<DoctorCheck[]> {
  let read: Awaited<ReturnType<typeof readCatalogue>>
  try {
    read = await readCatalogue(env)
  } catch (error) {
    return [broken('config', reasonOf(error)), ...skipBecauseOf(['models', 'provider'], 'config')]
  }
  const { config, models, discovered, outbound } = read
  await using connections = new AsyncDisposableStack()
  const upstreams = connect(models, openNet(config, outbound), outbound, connections)
  const providers = models.providers()
  const [ways, mail, sms, dedicated, voice, ...pings] = await Promise.all([
    checkOutbound({ config, providers, outbound }),
    checkMail(config, outbound),
    checkSms(config, outbound),
    checkDedicated(config),
    checkVoice(config, models),
    ...providers.map((provider) => ping(provider, upstreams.get(provider.id), outbound, models.list())),
  ])
  const silent = discovered.silent.map((address) => broken('local_models', words.silentProvider(address)))
  return [
    ok('config', words.config(fileIsThere ? env.configFile : undefined)),
    ...silent,
    checkPrices(models),
    ...checkShutdowns(models.list(), new Date()),
    checkMetrics(config),
    ...ways,
    ...mail,
    ...sms,
    ...dedicated,
    ...voice,
    ...pings.flat(),
  ]
}

/** How long before a model is switched off the operator is warned. */
const noticeMs = 90 * 24 * 60 * 60 * 1_000

/** One check of models that are switched off and one of those that soon will be; none where there are no such models. */
function checkShutdowns(models: readonly AnyModel[], now: Date): DoctorCheck[] {
  const dated = models.flatMap(({ id, shutdownDate }) =>
    shutdownDate === undefined
      ? []
      : [{ id, day: shutdownDate, atMs: Date.parse(`${shutdownDate}T00:00:00Z`) }],
  )
  const listed = (some: typeof dated): string => some.map(({ id, day }) => `${id} (${day})`).join(', ')
  const over = dated.filter(({ atMs }) => atMs <= now.getTime())
  const soon = dated.filter(({ atMs }) => atMs > now.getTime() && atMs <= now.getTime() + noticeMs)
  return [
    ...(over.length > 0 ? [broken('shutdown', words.shutDown(listed(over)))] : []),
    ...(soon.length > 0 ? [warned('shutdown', words.shutsDown(listed(soon)))] : []),
  ]
}

function checkPrices(catalogue: Catalogue): DoctorCheck {
  const models = catalogue
    .list()
    .map((model) => ({ id: model.id, prices: catalogue.kinds.of(model).prices(model) }))
  const unpriced = models.filter(
    ({ prices }) => !prices.every((price) => typeof price === 'number' && price >= 0),
  )
  if (unpriced.length > 0) return broken('models', words.unpriced(unpriced.map(({ id }) => id).join(', ')))
  const free = models.filter(({ prices }) => prices.every((price) => price === 0))
  return ok('models', words.priced(models.length, free.length))
}

async function ping(
  entry: ProviderConfig,
  upstream: Upstream | undefined,
  outbound: Outbound,
  models: readonly AnyModel[],
): Promise<DoctorCheck[]> {
  const { id, baseUrl } = entry
  const name = `provider ${id}`
  assert(upstream, `no room was connected for the provider ${id}`)
  const signal = AbortSignal.timeout(pingMs)
  const beganMs = performance.now()
  try {
    const listed = await upstream.provider.ping(signal)
    const ms = Math.ceil(performance.now() - beganMs)
    const { proxy } = isRemote(entry) ? outbound.egressTo(baseUrl, entry) : {}
    const lacks = checkVendorModels(id, models, listed)
    const message = proxy ? words.providerThrough(ms, redactedProxy(proxy)) : words.provider(ms)
    return [ok(name, message), ...(lacks ? [lacks] : [])]
  } catch (error) {
    return [broken(name, signal.aborted ? words.providerSlow(pingMs / 1000) : pingFault(error, baseUrl))]
  }
}

/** The fault of the provider room (`UpstreamError`), and how to fix it. */
function pingFault(error: unknown, baseUrl: string): BilingualText {
  if (!(error instanceof Error) || !('fault' in error)) return reasonOf(error)
  if (error.cause instanceof ProxyFailed) return words.proxyBroken(error.cause.message)
  const detail = detailOf(error)
  switch (error.fault) {
    case 'authentication':
      return words.providerKey(detail)
    case 'connect':
    case 'reset':
      return words.providerAway(baseUrl, detail)
    case 'timeout':
      return words.providerSlow(pingMs / 1000)
    case 'not_found':
    case 'malformed':
    case 'invalid_request':
      return words.providerWrong(baseUrl, detail)
    default:
      return words.providerTrouble(detail)
  }
}

/** The network's error code of the cause (ECONNREFUSED), else the message of the error. */
function detailOf(error: Error): string {
  const { cause } = error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
  return code === undefined ? error.message : code
}
