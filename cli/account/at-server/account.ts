/** `kherad account show`, `kherad account caps` and `kherad balance`: the account of a key, at a running server. */
import type { Language } from '#platform/errors'
import { list, showCredits } from '../../amounts.ts'
import { type Command, type CommandResult, refuseUsage } from '../../command.ts'
import { latin } from '../../numerals.ts'
import { card, type TableColumn } from '../../output.ts'
import { phrases, titles } from '../../phrases.ts'
import { requestRecord } from '../../server/records.ts'
import { plain, type Server } from '../../server.ts'
import { atServer, inProject } from './at-server.ts'
import { type Limits, limitColumns, limitsBody } from './limits.ts'
import { columns, serverHelp, serverWords as words } from './phrases.ts'

interface Account extends Limits {
  id: string
  name: string
  plan: string
  state: 'active' | 'suspended'
  balance_microcredits: string
  reserved_microcredits: string
  thresholds_percent: number[]
  time_zone: string
}

type Balance = Pick<Account, 'plan' | 'balance_microcredits' | 'reserved_microcredits'>

export const ownAccountCommands: Command[] = [
  atServer(
    {
      name: 'account show',
      about: {
        fa: 'حسابِ کلید مدیریتی را در سرور روشن نشان می‌دهد.',
        en: 'Shows the account of a management key, at a running server.',
      },
      ...{ takes: [], options: [], needs: [] },
    },
    async (server, { language }) => {
      const account = await requestRecord<Account>(server, 'GET', '/v1/account')
      return { json: account, text: card(account, accountColumns(language), language) }
    },
  ),
  atServer(
    {
      name: 'account caps',
      about: {
        fa: 'سقف‌های حسابِ کلید مدیریتی و آستانه‌های خبر را می‌گذارد؛ آنچه ننویسید همان می‌ماند.',
        en: 'Sets the caps of the account of a management key, and its thresholds; what is left out stays as it is.',
      },
      ...{ takes: [], options: ['cap', 'monthly-cap', 'thresholds'], needs: [], help: serverHelp },
    },
    (server, { language }, { options }) => changeCaps(server, language, options),
  ),
]

export const balanceCommands: Command[] = [
  atServer(
    {
      name: 'balance',
      about: {
        fa: 'موجودی حسابِ کلید را در سرور روشن نشان می‌دهد.',
        en: 'Shows the balance of the account of a key, at a running server.',
      },
      ...{ takes: [], options: ['project'], needs: [], help: serverHelp },
    },
    async (server, { language }, { options }) => {
      const headers = inProject(options['project'])
      const balance = await requestRecord<Balance>(server, 'GET', '/v1/balance', { headers })
      return { json: balance, text: card(balance, balanceColumns(language), language) }
    },
  ),
]

async function changeCaps(
  server: Server,
  language: Language,
  options: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const body = {
    ...limitsBody(options),
    ...(options['thresholds'] !== undefined && { thresholds_percent: thresholdsOf(options['thresholds']) }),
  }
  const account = await requestRecord<Account>(server, 'PATCH', '/v1/account/caps', { body })
  return {
    json: account,
    text: `${phrases.accountChanged()[language]}\n${card(account, accountColumns(language), language)}`,
  }
}

function thresholdsOf(typed: string): number[] | null {
  if (typed.trim() === 'none') return null
  const percents = list(latin(typed)).map(Number)
  const isGood = percents.every((one) => Number.isInteger(one) && one >= 1 && one <= 100)
  return isGood && percents.length > 0 ? percents : refuseUsage(words.badThresholds())
}

function balanceColumns<Row extends Balance>(language: Language): TableColumn<Row>[] {
  const amount = (micro: string) => showCredits(BigInt(micro), language)
  return [
    { title: titles.plan, show: ({ plan }) => plain(plan) },
    { title: columns.balance, show: (row) => amount(row.balance_microcredits) },
    { title: columns.reserved, show: (row) => amount(row.reserved_microcredits) },
  ]
}

const accountColumns = (language: Language): TableColumn<Account>[] => [
  { title: titles.id, show: ({ id }) => plain(id) },
  { title: titles.name, show: ({ name }) => plain(name) },
  { title: titles.state, show: ({ state }) => phrases.state[state]?.[language] ?? plain(state) },
  ...balanceColumns<Account>(language),
  ...limitColumns<Account>(language),
  {
    title: columns.thresholds,
    show: ({ thresholds_percent: percents }) => percents.map((one) => `${one}%`).join(' '),
  },
  { title: columns.timeZone, show: ({ time_zone: zone }) => plain(zone) },
]
