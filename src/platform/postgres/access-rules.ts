/** Edits pg_hba.conf. The first matching line wins, so the order of an operator's own lines is kept. */

interface Names {
  programRole: string
  database: string
}

const head = '# Written by Kherad.'
/** The marker above all other lines; the rule of the program follows it. */
const lead = '# Kherad needs the next line. Those after it are yours.'
/** The marker of opened access. The start that sets the password removes it. */
const reopening = '# The password of the superuser was lost; the start that reads this sets another.'

/** The rules until the password is set. */
export const openRules = `${head} The password of the superuser was lost; the start that reads this sets another.
local all all trust
`

/** The lines that initdb writes for `--auth=trust`. */
const initdbRule =
  /^(?:local +(?:all|replication) +all|host +(?:all|replication) +all +(?:127\.0\.0\.1\/32|::1\/128)) +trust$/

/** Whether the file has no lines, not even comments. */
export const isEmpty = (rules: string): boolean => /^[\s\0]*$/.test(rules)

/** The rules with access opened, if Kherad wrote at least a part of them; undefined if they belong to somebody else. */
export function reopenedRules(rules: string, superuser: string): string | undefined {
  if (isEmpty(rules)) return openRules
  const remaining = withoutReopening(rules)
  if (!remaining.startsWith(head) && !remaining.split('\n').includes(lead)) return undefined
  return `${reopening}\nlocal all ${superuser} trust\n${remaining}`
}

/**
 * Returns rules that require a password of everyone but the program, and have a rule for the program. Lines that initdb wrote are replaced; lines
 * that an operator added or changed are kept. `closes` is true if access without a password was possible before.
 */
export function closedRules(
  rules: string,
  { programRole, database }: Names,
): { text: string; closes: boolean } {
  const remaining = withoutReopening(rules)
  const lines = remaining.split('\n')
  const effective = lines.map(plain).filter((line) => line !== '')
  const closes = remaining !== rules || effective.some((line) => initdbRule.test(line))
  if (effective.every((line) => initdbRule.test(line))) return { text: defaultRules(programRole), closes }
  const isOpen = effective.some((line) => initdbRule.test(line))
  const text = lines
    .map((line) => (initdbRule.test(plain(line)) ? plain(line).replace(/trust$/, 'scram-sha-256') : line))
    .join('\n')
  const isLed = lines.includes(lead) || !isOpen
  const led = isLed && admitsProgram(text, programRole, database)
  return { text: led ? text : `${lead}\nlocal all ${programRole} trust\n${text}`, closes }
}

/** The rules if no line is an operator's. Only its owner can enter the socket's folder; even there the superuser needs a password. */
const defaultRules = (
  programRole: string,
) => `${head} The socket is in a folder of its own, which nobody else can enter.
local all ${programRole} trust
local all all scram-sha-256
local replication all scram-sha-256
`

const plain = (line: string): string => line.replace(/#.*/, '').trim().replaceAll(/\s+/g, ' ')

function withoutReopening(rules: string): string {
  const [first, , ...rest] = rules.split('\n')
  return first === reopening ? rest.join('\n') : rules
}

/**
 * Whether the rules let the program in. The first rule that matches the program at its socket decides: one that names it, or one for all that trusts.
 * Included files are not read.
 */
function admitsProgram(rules: string, programRole: string, database: string): boolean {
  for (const line of rules.split('\n').map(plain)) {
    if (line.startsWith('include')) return true
    const [kind, databases = '', users = '', method] = line.split(' ')
    const named = users.split(',').includes(programRole)
    if (kind !== 'local' || !databases.split(',').some((name) => name === 'all' || name === database))
      continue
    if (named || users.split(',').includes('all')) return named || method === 'trust'
  }
  return false
}
