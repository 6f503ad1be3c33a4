import { isIP } from 'node:net'
import type { Config, DefaultsConfig } from './config.ts'
import type { Place } from './yaml-reader.ts'

/** What a call costs when it names no model, and what a credit is worth. */
export function readDefaults(place: Place | undefined): DefaultsConfig {
  const members = place?.members([
    'text_model',
    'embedding_model',
    'credits_per_usd',
    'markup',
    'responses_max_output_tokens',
  ])
  const textModel = members?.get('text_model')
  const embeddingModel = members?.get('embedding_model')
  return {
    ...(textModel && {
      textModel: textModel.text({ en: 'the id of a text model', fa: 'شناسه‌ی یک مدل متنی' }),
      textModelWhere: textModel.where(),
    }),
    ...(embeddingModel && {
      embeddingModel: embeddingModel.text({
        en: 'the id of an embedding model',
        fa: 'شناسه‌ی یک مدل embedding',
      }),
      embeddingModelWhere: embeddingModel.where(),
    }),
    creditsPerUsd: members?.get('credits_per_usd')?.number({ min: 0.000001, max: 1_000_000_000 }) ?? 1_000,
    markup: members?.get('markup')?.number({ min: 0, max: 1_000 }) ?? 1,
    responsesMaxOutputTokens:
      members?.get('responses_max_output_tokens')?.number({ min: 1, max: 32_768, integer: true }) ?? 2_048,
  }
}

/** Shares of a budget, in percent, at which its owner is told. Ascending, each once. */
export function readBudgets(place: Place | undefined): Config['budgets'] {
  const thresholds = place?.members(['thresholds_percent']).get('thresholds_percent')
  if (!thresholds) return { thresholdsPercent: [50, 80, 100] }
  const percents = thresholds.list().map((item) => item.number({ min: 1, max: 100, integer: true }))
  return { thresholdsPercent: [...new Set(percents)].sort((left, right) => left - right) }
}

/** How many rows of batches are answered at once. */
export function readBatches(place: Place | undefined): Config['batches'] {
  const members = place?.members(['rows_per_account', 'rows_per_process'])
  const read = (key: 'rows_per_account' | 'rows_per_process'): number | undefined =>
    members?.get(key)?.number({ min: 1, max: 10_000, integer: true })
  return {
    rowsPerAccount: read('rows_per_account') ?? 16,
    rowsPerProcess: read('rows_per_process') ?? 64,
  }
}

const mebibyte = 1024 * 1024

/** What a project may store, and what may be in transit. */
export function readFiles(place: Place | undefined): Config['files'] {
  const members = place?.members(['project_quota_mb', 'spool_mb'])
  const megabytes = (key: 'project_quota_mb' | 'spool_mb') =>
    members?.get(key)?.number({ min: 1, max: 100_000_000, integer: true })
  return {
    projectQuotaBytes: (megabytes('project_quota_mb') ?? 1024) * mebibyte,
    spoolBytes: (megabytes('spool_mb') ?? 4096) * mebibyte,
  }
}

/** What one process takes at once. */
export function readLimits(place: Place | undefined): Config['limits'] {
  const bytes = place?.members(['body_bytes_in_flight']).get('body_bytes_in_flight')
  return {
    bodyBytesInFlight: bytes?.number({ min: 1, max: 1_099_511_627_776, integer: true }) ?? 256 * mebibyte,
  }
}

/** Who may read the metrics, and where. */
export function readMetrics(place: Place | undefined): Config['metrics'] {
  const members = place?.members(['token', 'port', 'host'])
  const [token, port, host] = [members?.get('token'), members?.get('port'), members?.get('host')]
  return {
    ...(token && {
      token: token.secret(
        { en: 'a token of 16 to 200 letters, digits and signs', fa: 'توکنی با ۱۶ تا ۲۰۰ حرف، رقم و نشانه' },
        /^[!-~]{16,200}$/,
      ),
    }),
    ...(port && { port: port.number({ min: 0, max: 65_535, integer: true }) }),
    ...(host && { host: host.text({ en: 'an address to listen on', fa: 'نشانی‌ای برای گوش دادن' }) }),
  }
}

/** How many runs of durable work go on at once, and for how long one may. */
export function readWork(place: Place | undefined): Config['work'] {
  const members = place?.members(['runs_per_account', 'runs_per_process', 'max_minutes'])
  const read = (key: 'runs_per_account' | 'runs_per_process' | 'max_minutes', max: number) =>
    members?.get(key)?.number({ min: 1, max, integer: true })
  return {
    runsPerAccount: read('runs_per_account', 1_000) ?? 4,
    runsPerProcess: read('runs_per_process', 1_000) ?? 16,
    maxMinutes: read('max_minutes', 10_080) ?? 120,
  }
}

/** Where addresses named by users may lead, and by which way. No network may be so wide that it would be no guard any more. */
export function readNet(place: Place | undefined): Config['net'] {
  const members = place?.members(['allow_cidrs', 'use_proxy'])
  return {
    allowedCidrs: members?.get('allow_cidrs')?.list().map(readCidr) ?? [],
    usesProxy: members?.get('use_proxy')?.flag() ?? false,
  }
}

/** The widest networks that exist for private use: 10.0.0.0/8 and fc00::/7. */
const prefixes = { ipv4: [8, 32], ipv6: [7, 128] } as const

function readCidr(place: Place): string {
  const expected = {
    en: 'a network with its prefix, such as 10.0.0.0/8 or fd12:3456::/32, of /8 or longer (IPv6: /7)',
    fa: 'شبکه‌ای با پیشوندش، مانند 10.0.0.0/8 یا fd12:3456::/32، با پیشوند 8 یا بلندتر (در IPv6 از 7)',
  }
  const text = place.text(expected, /^[0-9a-fA-F.:]+\/\d{1,3}$/)
  const [address = '', prefix] = text.split('/')
  const [shortest, longest] = prefixes[isIP(address) === 4 ? 'ipv4' : 'ipv6']
  const valid = isIP(address) !== 0 && Number(prefix) >= shortest && Number(prefix) <= longest
  return valid ? text : place.wrong(expected)
}
