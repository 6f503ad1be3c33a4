/**
 * Names the module of each command. A command loads only its own module: all of them load the whole platform, which takes longer than most commands.
 */
import type { Command } from './command.ts'

interface CommandModule {
  nouns: readonly string[]
  /** Where several modules share a noun: the verbs whose commands are in this module, and in no other one. */
  verbs?: readonly string[]
  load(): Promise<readonly Command[]>
}

/** All modules, in the order of the help. */
const modules: readonly CommandModule[] = [
  { nouns: ['start', 'adopt'], load: async () => (await import('./installation.ts')).installationCommands },
  { nouns: ['account'], load: async () => (await import('./account/accounts.ts')).accountCommands },
  {
    nouns: ['account'],
    verbs: ['invite'],
    load: async () => (await import('./account/invite.ts')).accountInviteCommands,
  },
  {
    nouns: ['account'],
    verbs: ['delete', 'deletions'],
    load: async () => (await import('./account/deletions.ts')).accountDeletionCommands,
  },
  {
    nouns: ['person'],
    verbs: ['delete', 'deletions'],
    load: async () => (await import('./account/deletions.ts')).personDeletionCommands,
  },
  {
    nouns: ['account'],
    verbs: ['show', 'caps'],
    load: async () => (await import('./account/at-server/account.ts')).ownAccountCommands,
  },
  {
    nouns: ['balance'],
    load: async () => (await import('./account/at-server/account.ts')).balanceCommands,
  },
  {
    nouns: ['usage'],
    load: async () => (await import('./account/at-server/requests.ts')).usageCommands,
  },
  {
    nouns: ['request'],
    load: async () => (await import('./account/at-server/requests.ts')).requestCommands,
  },
  { nouns: ['operator'], load: async () => (await import('./account/operators.ts')).operatorCommands },
  { nouns: ['person'], load: async () => (await import('./account/people.ts')).personCommands },
  { nouns: ['project'], load: async () => (await import('./account/projects.ts')).projectCommands },
  { nouns: ['key'], load: async () => (await import('./account/keys.ts')).keyCommands },
  { nouns: ['mail'], load: async () => (await import('./account/mails.ts')).mailCommands },
  { nouns: ['sms'], load: async () => (await import('./account/sms.ts')).smsCommands },
  { nouns: ['models'], load: async () => (await import('./account/models.ts')).modelCommands },
  { nouns: ['config'], load: async () => (await import('./config.ts')).configCommands },
  {
    nouns: ['functions'],
    load: async () => (await import('./cloud/function-hosts.ts')).functionHostCommands,
  },
  { nouns: ['receipt'], load: async () => (await import('./account/receipts.ts')).receiptCommands },
  { nouns: ['audit'], load: async () => (await import('./account/audit.ts')).auditCommands },
  { nouns: ['call'], load: async () => (await import('./voice/calls.ts')).callCommands },
  { nouns: ['reconcile'], load: async () => (await import('./account/reconcile.ts')).reconcileCommands },
  { nouns: ['doctor'], load: async () => (await import('./doctor.ts')).doctorCommands },
  { nouns: ['work'], load: async () => (await import('./work/work.ts')).workCommands },
  { nouns: ['site'], load: async () => (await import('./sites/sites.ts')).siteCommands },
  {
    nouns: ['site'],
    verbs: ['all', 'takedown', 'restore', 'limits'],
    load: async () => (await import('./sites/operate.ts')).siteOperatorCommands,
  },
  { nouns: ['cloud'], load: async () => (await import('./cloud/cloud.ts')).cloudCommands },
  {
    nouns: ['cloud'],
    verbs: ['users'],
    load: async () => (await import('./cloud/users.ts')).usersCommands,
  },
  {
    nouns: ['cloud'],
    verbs: ['all', 'suspend', 'resume', 'limits', 'forget-database'],
    load: async () => (await import('./cloud/operate.ts')).cloudOperatorCommands,
  },
  {
    nouns: ['cloud'],
    verbs: ['package'],
    load: async () => (await import('./cloud/packages.ts')).packageCommands,
  },
  { nouns: ['image', 'speak'], load: async () => (await import('./media/studio.ts')).studioCommands },
  { nouns: ['video'], load: async () => (await import('./media/video.ts')).videoCommands },
  { nouns: ['transcribe'], load: async () => (await import('./media/transcribe.ts')).transcribeCommands },
]

/** The command that is typed and those of its module; all commands where the first word is no noun. */
export async function commandsFor(argv: readonly string[]): Promise<readonly Command[]> {
  const loaded = await Promise.all(modulesFor(argv).map(({ load }) => load()))
  return loaded.flat()
}

function modulesFor([noun = '', verb = '']: readonly string[]): readonly CommandModule[] {
  const own = modules.filter(({ nouns }) => nouns.includes(noun))
  if (own.length === 0) return modules
  // No verb is typed, so all commands of the noun are needed, for their help or the list of verbs.
  if (verb === '' || verb.startsWith('-')) return own
  const exact = own.filter(({ verbs }) => verbs?.includes(verb))
  return exact.length > 0 ? exact : own.filter(({ verbs }) => verbs === undefined)
}
