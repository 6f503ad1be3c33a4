import { isUuid } from '#platform/ids'
import { type Command, type CommandResult, type ParsedArguments, refuse, type Session } from '../command.ts'
import { type TableColumn, table } from '../output.ts'
import { phrases, titles } from '../phrases.ts'
import { fullReceipt } from './receipts/store.ts'

export const receiptCommands: Command[] = [
  {
    name: 'receipt show',
    about: {
      fa: 'رسید یک درخواست با هر تلاش، و آنچه فقط برای گرداننده است: سخن ارائه‌دهنده دربارهٔ کلید، حساب و نشانی شما.',
      en: 'The receipt of a request with every attempt, and what is for the operator alone: what vendors say of your key, account and addresses.',
    },
    takes: ['REQUEST'],
    options: [],
    needs: [],
    run: show,
  },
]

interface ShownAttempt {
  deployment?: string
  outcome?: string
  status?: number
  detail?: string
  inside?: string
}

async function show(session: Session, { words: [id = ''] }: ParsedArguments): Promise<CommandResult> {
  const found = isUuid(id) ? await fullReceipt(await session.db(), id) : undefined
  if (!found) return refuse('RECEIPT_NOT_FOUND', phrases.noReceipt(id))
  const { detail, microcredits, created_at: createdAt, ...rest } = found
  const all: unknown = detail?.['attempts']
  const attempts: ShownAttempt[] = Array.isArray(all) ? all : []
  const columns: TableColumn<ShownAttempt>[] = [
    { title: titles.deployment, show: ({ deployment = '' }) => deployment },
    { title: titles.outcome, show: ({ outcome = '' }) => outcome },
    { title: titles.said, show: ({ inside, detail: own }) => inside ?? own ?? '' },
  ]
  const head = [rest.id, rest.endpoint, rest.model, rest.state, rest.status].filter((one) => one !== null)
  return {
    json: { ...rest, microcredits: String(microcredits), created_at: createdAt.toISOString(), detail },
    text: `${head.join(' · ')}\n${table(attempts, columns, session.language)}`,
  }
}
