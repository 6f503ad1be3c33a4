import type { ReactNode } from 'react'
import { LinkButton } from '../../pieces/button.tsx'
import { Fact, Figure, Grid } from '../../pieces/card.tsx'
import { Chips } from '../../pieces/chips.tsx'
import { type CapState, capStateOf } from '../../spending/pace.ts'
import { UsageLink } from '../../spending/usage-link.tsx'
import { useAccountPace } from '../../spending/use-pace.ts'
import { formatDay } from '../../words/dates.ts'
import { formatNumber, formatPercent } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { accountWords } from './account.words.ts'
import type { CapPart } from './cap-dialog.tsx'
import type { Account } from './queries.ts'

interface CapsProps {
  of: Account
  /** Undefined where the role changes nothing. */
  onChange: ((part: CapPart | 'thresholds') => void) | undefined
}

/** The caps of the account, when they are reached at this pace, the thresholds at which people hear of it, and its speed. */
export function Caps({ of, onChange }: CapsProps): ReactNode {
  return (
    <>
      <Grid columns="three">
        <Cap of={of} part="month_cap_credits" onChange={onChange} />
        <Cap of={of} part="cap_credits" onChange={onChange} />
        <Speed of={of} />
      </Grid>
      <Thresholds of={of} onChange={onChange} />
    </>
  )
}

function Cap({ of, part, onChange }: CapsProps & { part: CapPart }): ReactNode {
  const words = useWords(accountWords)
  const locale = useLocale()
  const label = words.capLabels[part]
  const action = onChange && (
    <LinkButton aria-label={words.changeOf(label)} onClick={() => onChange(part)}>
      {words.change}
    </LinkButton>
  )
  const { pace } = useAccountPace()
  const cap = of[part]
  if (cap === null) return <Figure label={label} value={words.noCap} note={words.noCapNote} action={action} />
  const period = part === 'month_cap_credits' ? 'month' : 'total'
  const spent = period === 'month' ? of.month_spent_credits : of.spent_credits
  const number = (value: number): string => formatNumber(locale, value)
  if (spent === null)
    return (
      <Figure label={label} value={number(cap)} unit={words.unit} note={words.capOfAccount} action={action} />
    )
  const share = cap === 0 ? 1 : spent / cap
  const now = new Date()
  const state = capStateOf({ cap, spent, period }, pace, now)
  return (
    <Figure
      label={label}
      value={formatPercent(locale, share)}
      part={share}
      action={action}
      note={
        <>
          <div>
            <UsageLink since={period === 'month' ? 'month' : of.created_at} project="all">
              {words.ofCap(number(spent), number(cap))}
            </UsageLink>
          </div>
          <CapSentence state={state} period={period} />
        </>
      }
    />
  )
}

function CapSentence({ state, period }: { state: CapState; period: 'month' | 'total' }): ReactNode {
  const words = useWords(accountWords)
  const locale = useLocale()
  switch (state.name) {
    case 'reached':
      return words.capReached[period]
    case 'reaches':
      return words.capReaches(formatDay(locale, state.at, new Date(), { timeZone: 'Asia/Tehran' }))
    case 'lasts':
      return words.capLasts[period]
    default:
      return null
  }
}

function Speed({ of }: { of: Account }): ReactNode {
  const words = useWords(accountWords)
  const locale = useLocale()
  const limits = [
    of.rate_per_minute !== null && words.rateOf(formatNumber(locale, of.rate_per_minute)),
    of.concurrency !== null && words.atOnceOf(formatNumber(locale, of.concurrency)),
  ].filter((limit) => limit !== false)
  return (
    <Fact label={words.speed} below={words.speedNote}>
      {limits.length === 0 ? words.noSpeed : limits.map((limit) => <div key={limit}>{limit}</div>)}
    </Fact>
  )
}

function Thresholds({ of, onChange }: CapsProps): ReactNode {
  const words = useWords(accountWords)
  const locale = useLocale()
  return (
    <Fact
      label={words.thresholds}
      below={of.has_own_thresholds ? words.thresholdsOwn : words.thresholdsServer}
      action={
        onChange && (
          <LinkButton aria-label={words.changeOf(words.thresholds)} onClick={() => onChange('thresholds')}>
            {words.change}
          </LinkButton>
        )
      }
    >
      <Chips
        label={words.thresholds}
        items={of.thresholds_percent.map((percent) => ({
          value: percent,
          label: formatPercent(locale, percent / 100),
        }))}
      />
    </Fact>
  )
}
