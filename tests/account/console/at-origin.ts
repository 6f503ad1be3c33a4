import { Browser, type Member } from '../../harness/session.ts'

/** The same person with the same cookies, whose pages have this origin. The server's own address and `KHERAD_BASE_URL` may name it differently. */
export function atOrigin(member: Member, origin: string, installation: string): Member {
  const here = new Browser(origin, installation, member.project)
  here.cookies.set(here.nameOf('session'), member.cookies.get(member.nameOf('session'))!)
  return Object.assign(here, { personId: member.personId, sessionId: member.sessionId })
}
