import { type ReactNode, useState } from 'react'
import { useAccount } from '../../api/use-account.ts'
import { LinkButton } from '../../pieces/button.tsx'
import { Card, Note } from '../../pieces/card.tsx'
import { Choices } from '../../pieces/choices.tsx'
import { useAddress } from '../../shell/use-address.ts'
import { topOf } from '../../spending/sums.ts'
import { formatNumber } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { Exports } from './exports.tsx'
import { pick, pickedIn } from './filters.ts'
import { GroupLabel } from './group-label.tsx'
import { GroupTable, type Line } from './group-table.tsx'
import { formerOf, groupsIn, sumIn } from './groups.ts'
import { type Dimension, dimensions } from './names.ts'
import styles from './usage.module.css'
import { usageWords } from './usage.words.ts'
import { usePeriods } from './use-periods.ts'
import type { Shown } from './use-usage.ts'

const firstShown = 10
const moreShown = 50

/** The same spending by model, key, member, customer, project or endpoint, or as a table by time. */
export function Breakdown({ of }: { of: Shown }): ReactNode {
  const { view } = of
  const words = useWords(usageWords)
  const { go } = useAddress()
  return (
    <Card title={words.split} action={<Exports of={of} />}>
      <Choices
        label={words.split}
        choices={[...dimensions, 'time' as const].map((value) => ({
          value,
          label: words.dimensions[value],
        }))}
        value={view.split}
        onChoose={(split) => go({ split: split === 'model' ? '' : split })}
      />
      {view.split === 'time' ? (
        <ByTime of={of} />
      ) : (
        <ByGroup key={view.split} of={of} dimension={view.split} />
      )}
    </Card>
  )
}

function ByTime({ of }: { of: Shown }): ReactNode {
  const words = useWords(usageWords)
  const lines = usePeriods(of)
    .toReversed()
    .map(({ from, title, filtered, before }): Line => ({ key: from, label: title, sum: filtered, before }))
  const { filtered, before } = of.usage
  return (
    <GroupTable
      title={words.dimensions.time}
      lines={lines}
      sum={{ sum: sumIn(filtered.totals), before: before && sumIn(before.totals) }}
      hasBefore={before !== undefined}
      hasShares={false}
    />
  )
}

function ByGroup({ of, dimension }: { of: Shown; dimension: Dimension }): ReactNode {
  const { usage, view } = of
  const words = useWords(usageWords)
  const locale = useLocale()
  const { go } = useAddress()
  const { account, projectId } = useAccount()
  const [shown, setShown] = useState(firstShown)
  const groups = usage.groups!
  const projects = account?.projects ?? []
  const all = groupsIn(groups, dimension, projects)
  const total = sumIn(groups.totals)
  const picked =
    pickedIn(view, dimension) ?? (dimension === 'project' && !view.project ? projectId : undefined)
  const { groups: top, rest } = topOf(all, total, { shown, picked, hasMore: groups.has_more })
  const former = formerOf(usage.groupsBefore, dimension)
  const number = (value: number): string => formatNumber(locale, value)
  return (
    <>
      <GroupTable
        title={words.dimensions[dimension]}
        lines={[
          ...top.map(
            (group): Line => ({
              key: group.value ?? '',
              label: <GroupLabel group={group} dimension={dimension} />,
              sum: group,
              before: former.of(group),
              ...(group.value !== undefined && {
                isPicked: group.value === picked,
                onPick: () => go(pick(view, dimension, group.value!)),
              }),
            }),
          ),
          ...(rest
            ? [
                {
                  key: ' rest',
                  label: groups.has_more ? words.restUnknown : words.rest(number(rest.count)),
                  sum: rest,
                  before: former.rest(top),
                },
              ]
            : []),
        ]}
        sum={{ sum: total, before: former.total }}
        hasBefore={former.total !== undefined}
        hasShares
      />
      <div className={styles['line']}>
        <Note>{words.pickHint}</Note>
        {rest && shown < all.length && (
          <LinkButton onClick={() => setShown(shown + moreShown)}>
            {words.showMore} ({words.shownOf(number(top.length), number(all.length))})
          </LinkButton>
        )}
      </div>
    </>
  )
}
