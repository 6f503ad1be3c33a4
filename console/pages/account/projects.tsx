import type { ReactNode } from 'react'
import { useAccount } from '../../api/use-account.ts'
import { Badge } from '../../pieces/badge.tsx'
import { LinkButton } from '../../pieces/button.tsx'
import { Card } from '../../pieces/card.tsx'
import { Table } from '../../pieces/table.tsx'
import { UsageLink } from '../../spending/usage-link.tsx'
import { cleanName } from '../../words/clean-name.ts'
import { formatNumber, formatPercent } from '../../words/digits.ts'
import { Name } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import styles from './account.module.css'
import { accountWords } from './account.words.ts'
import type { Project } from './queries.ts'

interface ProjectsProps {
  projects: readonly Project[]
  /** Undefined where the role changes no project. */
  onEdit: ((project: Project) => void) | undefined
}

/** The projects with what each has spent, its caps and its limits. */
export function Projects({ projects, onEdit }: ProjectsProps): ReactNode {
  const words = useWords(accountWords)
  const locale = useLocale()
  const { projectId } = useAccount()
  const number = (value: number): string => formatNumber(locale, value)
  return (
    <Card title={words.projects}>
      <Table<Project>
        label={words.projects}
        hasCards
        rows={projects}
        keyOf={({ id }) => id}
        columns={[
          {
            name: 'name',
            title: words.project,
            cell: (project) => (
              <span className={styles['cap']}>
                {onEdit ? (
                  <LinkButton
                    aria-label={words.editProject(cleanName(project.name))}
                    onClick={() => onEdit(project)}
                  >
                    <Name>{project.name}</Name>
                  </LinkButton>
                ) : (
                  <Name>{project.name}</Name>
                )}
                {project.id === projectId && <Badge kind="teal">{words.chosen}</Badge>}
              </span>
            ),
          },
          {
            name: 'limits',
            title: words.limits,
            cell: (project) => <LimitsOf project={project} />,
          },
          {
            name: 'monthCap',
            title: words.monthCap,
            cell: ({ month_spent_credits: spent, month_cap_credits: cap }) => (
              <CapOf spent={spent} cap={cap} />
            ),
          },
          {
            name: 'cap',
            title: words.totalCap,
            cell: ({ spent_credits: spent, cap_credits: cap }) => <CapOf spent={spent} cap={cap} />,
          },
          {
            name: 'month',
            title: words.monthSpent,
            kind: 'figures',
            cell: ({ id, month_spent_credits: spent }) => (
              <UsageLink since="month" project={id}>
                {number(spent)}
              </UsageLink>
            ),
          },
          {
            name: 'all',
            title: words.allSpent,
            kind: 'figures',
            cell: ({ id, created_at: since, spent_credits: spent }) => (
              <UsageLink since={since} project={id}>
                {number(spent)}
              </UsageLink>
            ),
          },
        ]}
      />
    </Card>
  )
}

/** A cap, and how much of it is spent where that is near its end. */
function CapOf({ spent, cap }: { spent: number; cap: number | null }): ReactNode {
  const words = useWords(accountWords)
  const locale = useLocale()
  if (cap === null) return words.none
  const share = cap === 0 ? 1 : spent / cap
  return (
    <span className={styles['cap']}>
      <bdi>{formatNumber(locale, cap)}</bdi>
      {share >= 0.8 && (
        <Badge kind={share >= 1 ? 'failure' : 'attention'}>
          <bdi>{formatPercent(locale, share)}</bdi>
        </Badge>
      )}
    </span>
  )
}

function LimitsOf({ project }: { project: Project }): ReactNode {
  const words = useWords(accountWords)
  const locale = useLocale()
  const limits = [
    project.rate_per_minute !== null &&
      `${formatNumber(locale, project.rate_per_minute)} ${words.units.rate_per_minute}`,
    project.concurrency !== null && `${formatNumber(locale, project.concurrency)} ${words.units.concurrency}`,
    project.keep_days !== null && `${formatNumber(locale, project.keep_days)} ${words.units.keep_days}`,
  ].filter((limit) => limit !== false)
  return limits.length === 0 ? words.none : limits.join(' · ')
}
