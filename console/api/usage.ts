import { call, type Reply } from './client.ts'

export type UsageRow = Reply<'GET /v1/usage'>['data'][number]

export interface Usage {
  /** The newest day first. */
  rows: UsageRow[]
  /** The last day, as `2026-11-29`, in Tehran. */
  today: string
  /** Whether older rows were not read, so that sums over the 30 days would say too little. */
  isCut: boolean
}

/** So many pages of usage are read: 3,000 rows say enough of a month for charts. */
const maxPages = 3

async function readUsage(): Promise<Usage> {
  const rows: UsageRow[] = []
  let today = ''
  let after: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const report = await call('GET /v1/usage', {
      query: { limit: 1_000, ...(after !== undefined && { after }) },
    })
    rows.push(...report.data)
    today = report.to
    if (!report.has_more || report.next_after === null) return { rows, today, isCut: false }
    after = report.next_after
  }
  return { rows, today, isCut: true }
}

/** The usage of a project in the previous 30 days. */
export const usageQuery = (projectId: string | undefined) =>
  ({ queryKey: ['usage', projectId], queryFn: readUsage, enabled: projectId !== undefined }) as const
