/** `kherad request list`, `kherad request show` and `kherad usage`: what calls cost, at a running server. */
import type { Language } from '#platform/errors'
import { showCredits } from '../../amounts.ts'
import type { Command, CommandResult, ParsedArguments, Session } from '../../command.ts'
import { card, showDay, showTime, type TableColumn, table } from '../../output.ts'
import { titles } from '../../phrases.ts'
import { requestRecord } from '../../server/records.ts'
import { plain, type Server } from '../../server.ts'
import { showCount } from '../money.ts'
import { atServer, withQuery } from './at-server.ts'
import { columns, serverHelp, serverWords as words } from './phrases.ts'

interface Request {
  id: string
  endpoint: string
  state: string
  status_code: number | null
  microcredits: string
  model: string | null
  customer_id: string | null
  project_id: string
  created_at: string
}

interface Usage {
  totals: Sums
  data: Row[]
  has_more: boolean
}
interface Sums {
  requests: number
  failures: number
  microcredits: string
}
interface Row extends Sums {
  from: string
  to: string
  project_id?: string
  model?: string | null
  endpoint?: string
  key_id?: string
  key_name?: string | null
  person?: { name: string } | null
  customer_id?: string | null
}

const filters = ['project', 'from', 'to', 'model', 'customer']

export const requestCommands: Command[] = [
  atServer(
    {
      name: 'request list',
      about: {
        fa: 'درخواست‌ها با هزینهٔ هر یک، تازه‌ترین نخست.',
        en: 'Requests with what each cost, newest first.',
      },
      ...{ takes: [], options: [...filters, 'state', 'limit'], needs: [], help: serverHelp },
    },
    listRequests,
  ),
  atServer(
    {
      name: 'request show',
      about: {
        fa: 'رسید یک درخواست؛ با --json همهٔ آن.',
        en: 'The receipt of a request; all of it with --json.',
      },
      ...{ takes: ['REQUEST'], options: [], needs: [] },
    },
    async (server, { language }, { words: [id = ''] }) => {
      const path = `/v1/requests/${encodeURIComponent(id)}`
      const request = await requestRecord<Request>(server, 'GET', path)
      return { json: request, text: card(request, requestColumns(language), language) }
    },
  ),
]

export const usageCommands: Command[] = [
  atServer(
    {
      name: 'usage',
      about: {
        fa: 'مصرف حساب به تفکیک دوره و گروه، با جمع‌های دقیق.',
        en: 'The usage of the account by period and group, from exact sums.',
      },
      ...{
        takes: [],
        options: [...filters, 'interval', 'calendar', 'group-by', 'time-zone'],
        needs: [],
        help: serverHelp,
      },
    },
    showUsage,
  ),
]

async function listRequests(
  server: Server,
  { language }: Session,
  { options }: ParsedArguments,
): Promise<CommandResult> {
  const { from, to, model, state, limit, customer, project } = options
  const query = { from, to, model, state, limit, customer_id: customer, project_id: project ?? 'all' }
  const path = withQuery('/v1/requests', query)
  const answer = await requestRecord<{ data: Request[]; has_more: boolean }>(server, 'GET', path)
  const shown =
    answer.data.length === 0
      ? `${words.noRequest()[language]}\n`
      : table(answer.data, requestColumns(language), language)
  return { json: answer, text: answer.has_more ? `${shown}${words.more()[language]}\n` : shown }
}

async function showUsage(
  server: Server,
  { language }: Session,
  { options }: ParsedArguments,
): Promise<CommandResult> {
  const { from, to, model, interval, customer, project } = options
  const path = withQuery('/v1/account/usage', {
    ...{ from, to, model, interval, customer_id: customer, project_id: project },
    ...{ group_by: options['group-by'], time_zone: options['time-zone'] },
    calendar: options['calendar'] ?? (language === 'fa' ? 'jalali' : 'gregorian'),
  })
  const answer = await requestRecord<Usage>(server, 'GET', path)
  const named = Object.entries(groups).filter(([member]) => answer.data.some((row) => member in row))
  const shown =
    answer.data.length === 0
      ? `${words.noUsage()[language]}\n`
      : table(
          answer.data,
          [...periods(language), ...named.map(([, column]) => column), ...sums(language)],
          language,
        )
  return { json: answer, text: answer.has_more ? `${shown}${words.more()[language]}\n` : shown }
}

const requestColumns = (language: Language): TableColumn<Request>[] => [
  { title: titles.id, show: ({ id }) => plain(id) },
  { title: columns.at, show: ({ created_at: at }) => showTime(new Date(at), language) },
  { title: columns.endpoint, show: ({ endpoint }) => plain(endpoint) },
  { title: titles.model, show: ({ model }) => plain(model ?? '-') },
  { title: columns.status, show: ({ status_code: code }) => String(code ?? '-') },
  {
    title: columns.credits,
    show: ({ microcredits }) => showCredits(BigInt(microcredits), language),
    numeric: true,
  },
  { title: titles.project, show: ({ project_id: id }) => plain(id) },
]

const periods = (language: Language): TableColumn<Row>[] => [
  { title: columns.from, show: ({ from }) => showDay(from, language) },
  { title: columns.to, show: ({ to }) => showDay(to, language) },
]

/** The columns of groups, by the member of a row that has the value. */
const groups: Readonly<Record<string, TableColumn<Row>>> = {
  project_id: { title: titles.project, show: (row) => plain(row.project_id ?? '-') },
  model: { title: titles.model, show: (row) => plain(row.model ?? '-') },
  endpoint: { title: columns.endpoint, show: (row) => plain(row.endpoint ?? '-') },
  key_id: { title: columns.key, show: (row) => plain(row.key_name ?? row.key_id ?? '-') },
  person: { title: columns.person, show: (row) => plain(row.person?.name ?? '-') },
  customer_id: { title: columns.customer, show: (row) => plain(row.customer_id ?? '-') },
}

const sums = (language: Language): TableColumn<Row>[] => [
  { title: columns.requests, show: (row) => showCount(row.requests, language), numeric: true },
  { title: columns.failures, show: (row) => showCount(row.failures, language), numeric: true },
  {
    title: columns.credits,
    show: (row) => showCredits(BigInt(row.microcredits), language),
    numeric: true,
  },
]
