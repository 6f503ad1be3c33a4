/** Settings of the process that come only from environment variables. */
import type { Env } from '#platform/env'
import type { LogLevel, ProcessSettings, Roles, Timing } from './config.ts'
import { phrases, type Sentence } from './phrases.ts'
import { refuseConfig } from './refuse.ts'
import { readUrl, refuseVariable, webProtocols } from './values.ts'

const logLevels: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** Reads and checks the settings that come only from the environment. */
export function readProcessSettings(env: Env): ProcessSettings {
  if (env.unknownWord !== undefined) refuseConfig(phrases.unknownWord(env.unknownWord))
  const port = readPort(env.port)
  return {
    host: env.host,
    port,
    baseUrl:
      env.baseUrl === undefined
        ? addressOf(env.host, port)
        : readUrl('KHERAD_BASE_URL', env.baseUrl, webProtocols),
    baseUrlNamed: env.baseUrl !== undefined,
    dataDir: env.dataDir,
    ...(env.databaseUrl !== undefined && {
      databaseUrl: readUrl('DATABASE_URL', env.databaseUrl, ['postgres:', 'postgresql:']),
    }),
    ...(env.pgBin !== undefined && { pgBin: env.pgBin }),
    asCopy: env.asCopy,
    workers: readWorkers(env),
    roles: readRoles(env),
    locale:
      env.locale === 'fa' || env.locale === 'en'
        ? env.locale
        : refuseVariable('KHERAD_LOCALE', env.locale, oneOf(['fa', 'en'])),
    ...(env.bootstrapKey !== undefined && { bootstrapKey: readBootstrapKey(env.bootstrapKey) }),
    ...(env.secret !== undefined && { secret: readSecret(env.secret) }),
    logLevel:
      logLevels.find((level) => level === env.logLevel) ??
      refuseVariable('KHERAD_LOG_LEVEL', env.logLevel, oneOf(logLevels)),
    timing: { ...timing, ...readDrain(env), ...readLease(env) },
  }
}

const timing = {
  drainMs: 8_000,
  storeMs: 20_000,
  storeWaitingMs: 15_000,
  abortGraceMs: 10_000,
  dueTickMs: 500,
  streamOpenMs: 8_000,
  streamHeartbeatMs: 10_000,
  bodyWaitMs: 2_000,
  databaseWaitMs: 5_000,
  webrtcConnectMs: 10_000,
}

/** Reads `KHERAD_DRAIN_SECONDS`, the longest time that a stop waits; answers whose result is not stored get at most `drainMs` of it. */
function readDrain(env: Env): Pick<Timing, 'drainMs' | 'storedDrainMs'> {
  const seconds = /^\d{1,4}$/.test(env.drainSeconds) ? Number(env.drainSeconds) : Number.NaN
  if (seconds >= 1 && seconds <= 3600)
    return { drainMs: Math.min(timing.drainMs, seconds * 1000), storedDrainMs: seconds * 1000 }
  return refuseVariable('KHERAD_DRAIN_SECONDS', env.drainSeconds, {
    en: 'a whole number of seconds within 1 … 3600',
    fa: 'شمار درستی از ثانیه در بازه‌ی ۱ … ۳۶۰۰',
  })
}

/**
 * Reads `KHERAD_LEASE_MS`, for operators and tests. A shorter lease ends the holds of a dead process sooner, but also treats a paused process as dead
 * sooner. All processes of one database need the same value.
 */
function readLease(env: Env): Pick<Timing, 'processLeaseMs' | 'heartbeatMs' | 'sweepMs'> {
  const leaseMs = /^\d{1,6}$/.test(env.leaseMs) ? Number(env.leaseMs) : Number.NaN
  if (!(leaseMs >= 200 && leaseMs <= 600_000)) {
    return refuseVariable('KHERAD_LEASE_MS', env.leaseMs, {
      en: 'a whole number of milliseconds within 200 … 600000',
      fa: 'شمار درستی از هزارم ثانیه در بازه‌ی ۲۰۰ … ۶۰۰۰۰۰',
    })
  }
  const quarterMs = Math.floor(leaseMs / 4)
  return { processLeaseMs: leaseMs, heartbeatMs: quarterMs, sweepMs: quarterMs }
}

function readPort(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  if (port <= 65_535) return port
  return refuseVariable('KHERAD_PORT', value, {
    en: 'a port number within 0 … 65535',
    fa: 'شماره‌ی درگاهی در بازه‌ی ۰ … ۶۵۵۳۵',
  })
}

function readWorkers(env: Env): number {
  if (env.workers === 'auto') return Math.max(1, env.cores)
  const workers = /^\d{1,4}$/.test(env.workers) ? Number(env.workers) : 0
  if (workers >= 1 && workers <= 256) return workers
  return refuseVariable('KHERAD_WORKERS', env.workers, {
    en: 'auto, or a whole number within 1 … 256',
    fa: 'auto یا عددی درست در بازه‌ی ۱ … ۲۵۶',
  })
}

function readRoles({ role }: Env): Roles {
  if (role === 'all') return { api: true, worker: true, voice: true }
  if (role === 'api' || role === 'worker' || role === 'voice')
    return { api: role === 'api', worker: role === 'worker', voice: role === 'voice' }
  if (role === 'functions') return { api: false, worker: false, functions: true }
  return refuseVariable('KHERAD_ROLE', role, oneOf(['all', 'api', 'worker', 'voice', 'functions']))
}

/** The value is a secret, so the sentence never repeats it. */
function readBootstrapKey(value: string): string {
  if (/^khr_[A-Za-z0-9_-]{32,196}$/.test(value)) return value
  return refuseVariable('KHERAD_BOOTSTRAP_KEY', undefined, {
    en: 'khr_ and at least 32 letters, digits, _ or -',
    fa: 'khr_ و دست‌کم ۳۲ حرف لاتین، رقم، _ یا -',
  })
}

const shortestSecret = 32

/** The value is a secret, so the message does not repeat it. */
function readSecret(value: string): string {
  if (value.length >= shortestSecret) return value
  return refuseVariable('KHERAD_SECRET', undefined, {
    en: `at least ${shortestSecret} characters that nobody can guess, such as those of: openssl rand -base64 32`,
    fa: 'دست‌کم ۳۲ کاراکتر حدس‌نزدنی، مانند آنچه openssl rand -base64 32 می‌دهد',
  })
}

/** An address that a person can open: a server on every interface is reached at the loopback address. */
function addressOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

const oneOf = (values: readonly string[]): Sentence => ({
  en: `one of ${values.join(', ')}`,
  fa: `یکی از ${values.join('، ')}`,
})
