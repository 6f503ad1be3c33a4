/** Checks voice calls: what answers in them, and whether browsers reach this machine and give the microphone. */
import { isIP } from 'node:net'
import type { Catalogue } from '#core/models'
import type { Config } from '#platform/config'
import { isGloballyRoutable } from '#platform/net'
import { type FreePorts, findFreePorts } from '#platform/webrtc'
import { modelsOfPipeline } from '#voice/realtime'
import type { BilingualText } from '../command.ts'
import { broken, type DoctorCheck, ok, runCheck, skipped, warned } from './check.ts'
import { serverAt } from './machine.ts'
import { voicePhrases as words } from './voice-phrases.ts'

/** The most ports that are tried of a range longer than any machine has use for. */
const maxPorts = 64

export async function checkVoice(config: Config, models: Catalogue): Promise<DoctorCheck[]> {
  if (config.voice.capacity === 0 || !config.roles.voice) return [skipped('voice', words.none())]
  return [checkModels(models), ...checkPassed(models), ...(await checkReach(config)), checkMicrophone(config)]
}

function checkModels(models: Catalogue): DoctorCheck {
  const name = 'voice_models'
  const texts = models.list().filter(({ kind, sandbox }) => kind === 'text' && !sandbox)
  const [partner] = [models.defaults.realtime, ...texts.map(models.realtimeOf)].filter((model) => model)
  if (!partner) return ok(name, words.sandboxOnly())
  const rest = models.defaults.realtime ? { fa: '', en: '' } : words.noDefault()
  if (partner.engine !== 'pipeline') return ok(name, joined(words.vendorModel(partner.id), rest))
  const { text, transcription, speech } = modelsOfPipeline({ models }, partner)
  const lacking = [transcription, speech].filter(({ sandbox }) => sandbox && !text.sandbox)
  if (lacking.length > 0) return warned(name, words.sandboxParts(lacking.map(({ id }) => id).join(', ')))
  const all = { hears: transcription.id, answers: text.id, speaks: speech.id }
  return ok(name, joined(words.models(all), rest))
}

/** Warns of `passthrough` models; there is no check where there are none. */
function checkPassed(models: Catalogue): DoctorCheck[] {
  const passed = models.list().filter((model) => model.kind === 'realtime' && model.engine === 'passthrough')
  const names = passed.map(({ id }) => id).join(', ')
  return names === '' ? [] : [warned('voice_passthrough', words.passed(names))]
}

const joined = (one: BilingualText, other: BilingualText): BilingualText => ({
  fa: one.fa + other.fa,
  en: one.en + other.en,
})

/** Checks ports and addresses, which are both known only of sockets that open. */
async function checkReach(config: Config): Promise<DoctorCheck[]> {
  let found: FreePorts
  try {
    found = await findFreePorts(config.webrtc, maxPorts)
  } catch (error) {
    return [broken('voice_ports', words.notHere((error as Error).message))]
  }
  const ports = await runCheck('voice_ports', () => portCheck(config, found))
  // Another process has the last port; the addresses that it tells callers cannot be known from here.
  if (found.free === 0) return [ports]
  return [ports, addressCheck(config, found.addresses)]
}

async function portCheck(config: Config, found: FreePorts): Promise<DoctorCheck> {
  const name = 'voice_ports'
  const [first, last] = config.webrtc.ports
  if (first === 0 && found.free > 0) return ok(name, words.portsChosen())
  const range = `${first}–${last}`
  if (found.free >= config.workers) return ok(name, words.ports(range, found))
  if (config.port !== 0 && ['ready', 'not ready'].includes(await serverAt(config)))
    return ok(name, words.portsOurs(range, found))
  if (found.free === 0) return broken(name, words.portsTaken(range))
  return warned(name, words.portsFew(range, { free: found.free, processes: config.workers }))
}

function addressCheck({ baseUrl, webrtc }: Config, addresses: readonly string[]): DoctorCheck {
  const name = 'voice_addresses'
  const shown = addresses.join(', ')
  const host = hostOf(baseUrl)
  const isInside = isLocal(host) || (isIP(host) !== 0 && !isGloballyRoutable(host))
  if (isInside || webrtc.publicIps.length > 0 || addresses.some(isGloballyRoutable))
    return ok(name, words.addresses(shown))
  return warned(name, words.addressesInside(shown, host))
}

function checkMicrophone({ baseUrl }: Config): DoctorCheck {
  const isSecure = baseUrl.startsWith('https:') || isLocal(hostOf(baseUrl))
  return isSecure
    ? ok('voice_microphone', words.secure())
    : warned('voice_microphone', words.insecure(baseUrl))
}

const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')

/** Whether browsers take the host for a secure context without TLS. */
const isLocal = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host.startsWith('127.') || host === '::1'
