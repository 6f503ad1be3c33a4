/** What people see and change of themselves, of the members of their accounts, and of invitations. */
import type { Route } from '#platform/http'
import { type PeopleRoutesApp, route } from './app.ts'
import {
  acceptOwnInvitation,
  listOfInvitations,
  makeInvitation,
  resendInvitation,
  revokeInvitation,
} from './invitations.ts'
import { changeMe, listMyAccounts, readMe } from './me.ts'
import { changeMember, leaveAccount, membersPage, readMember, removeOther } from './members.ts'
import * as schema from './schema.ts'
import { endOneSession, endOtherSessions, listSessions } from './sessions.ts'
import './phrases.ts'

export type { PeopleRoutesApp } from './app.ts'

const person = { scope: 'person' } as const
const members = { scope: 'members:write', stepUp: true, audited: true } as const

const meRoutes: Route<PeopleRoutesApp>[] = [
  route({
    method: 'GET',
    path: '/v1/me',
    operation: 'me.read',
    ...person,
    whileLeaving: true,
    summary: {
      en: 'The person who is signed in, and this session.',
      fa: 'کسی که وارد شده است، و همین نشست.',
    },
    reply: { 200: schema.Me },
    errors: [],
    handle: readMe,
  }),
  route({
    method: 'PATCH',
    path: '/v1/me',
    operation: 'me.change',
    ...person,
    audited: true,
    summary: { en: 'Change your name, language or time zone.', fa: 'تغییر نام، زبان یا منطقهٔ زمانی خودتان.' },
    body: schema.MePatch,
    reply: { 200: schema.Me },
    errors: [],
    handle: changeMe,
  }),
  route({
    method: 'GET',
    path: '/v1/me/accounts',
    operation: 'me.accounts',
    ...person,
    summary: {
      en: 'Your accounts, the oldest first, with role, rights and projects in each.',
      fa: 'حساب‌های شما، کهنه‌ترین نخست، با نقش، دسترسی‌ها و پروژه‌ها در هر یک.',
    },
    query: schema.MyAccountQuery,
    reply: { 200: schema.MyAccountList },
    errors: [],
    handle: listMyAccounts,
  }),
  route({
    method: 'DELETE',
    path: '/v1/me/accounts/{account_id}',
    operation: 'me.leave',
    ...person,
    stepUp: true,
    audited: true,
    summary: { en: 'Leave an account.', fa: 'ترک یک حساب.' },
    params: schema.AccountParams,
    reply: { 200: schema.LeftAccount },
    errors: ['NOT_FOUND', 'LAST_OWNER'],
    handle: leaveAccount,
  }),
  route({
    method: 'GET',
    path: '/v1/me/sessions',
    operation: 'me.sessions',
    ...person,
    summary: {
      en: 'Where you are signed in, the session used last first.',
      fa: 'جاهایی که وارد شده‌اید، نشستی که تازه‌تر به کار رفته نخست.',
    },
    reply: { 200: schema.SessionList },
    errors: [],
    handle: listSessions,
  }),
  route({
    method: 'DELETE',
    path: '/v1/me/sessions',
    operation: 'me.endOtherSessions',
    ...person,
    audited: true,
    summary: { en: 'End all your sessions but this one.', fa: 'پایان دادن به همهٔ نشست‌هایتان جز همین یکی.' },
    reply: { 200: schema.EndedSessions },
    errors: [],
    handle: endOtherSessions,
  }),
  route({
    method: 'DELETE',
    path: '/v1/me/sessions/{id}',
    operation: 'me.endSession',
    ...person,
    audited: true,
    summary: { en: 'End one of your sessions.', fa: 'پایان دادن به یکی از نشست‌هایتان.' },
    params: schema.IdParams,
    reply: { 200: schema.EndedSession },
    errors: ['NOT_FOUND'],
    handle: endOneSession,
  }),
]

const memberRoutes: Route<PeopleRoutesApp>[] = [
  route({
    method: 'GET',
    path: '/v1/members',
    operation: 'members.list',
    scope: 'members:read',
    summary: {
      en: 'The members of the account who share a project with you, with role, projects and spending.',
      fa: 'عضوهای حساب که پروژه‌ای مشترک با شما دارند، با نقش، پروژه‌ها و خرج.',
    },
    query: schema.MemberQuery,
    reply: { 200: schema.MemberList },
    errors: [],
    handle: membersPage,
  }),
  route({
    method: 'GET',
    path: '/v1/members/{person_id}',
    operation: 'members.read',
    scope: 'members:read',
    summary: {
      en: 'One member who shares a project with you.',
      fa: 'یک عضو که پروژه‌ای مشترک با شما دارد.',
    },
    params: schema.MemberParams,
    reply: { 200: schema.Member },
    errors: ['NOT_FOUND'],
    handle: readMember,
  }),
  route({
    method: 'PATCH',
    path: '/v1/members/{person_id}',
    operation: 'members.change',
    ...members,
    summary: {
      en: 'Change role, projects and caps of a member. What the member may no longer do ends within a second.',
      fa: 'تغییر نقش، پروژه‌ها و سقف‌های عضو. آنچه دیگر در دسترسش نیست در یک ثانیه پایان می‌یابد.',
    },
    params: schema.MemberParams,
    body: schema.MemberPatch,
    reply: { 200: schema.Member },
    errors: ['NOT_FOUND', 'ROLE_TOO_HIGH', 'MEMBER_OF_PROVIDER', 'LAST_OWNER'],
    handle: changeMember,
  }),
  route({
    method: 'DELETE',
    path: '/v1/members/{person_id}',
    operation: 'members.remove',
    ...members,
    summary: {
      en: 'Remove a member, whose access ends within a second. Keys that the member made go on until they are revoked.',
      fa: 'برداشتن عضو؛ دسترسی‌اش در یک ثانیه پایان می‌یابد. کلیدهایی که ساخته است تا باطل نشوند کار می‌کنند.',
    },
    params: schema.MemberParams,
    reply: { 200: schema.RemovedMember },
    errors: ['NOT_FOUND', 'ROLE_TOO_HIGH', 'LAST_OWNER'],
    handle: removeOther,
  }),
]

const invitationRoutes: Route<PeopleRoutesApp>[] = [
  route({
    method: 'GET',
    path: '/v1/invitations',
    operation: 'invitations.list',
    scope: 'members:read',
    summary: {
      en: 'Invitations into the account and the projects that you may use, newest first.',
      fa: 'دعوت‌های حساب و پروژه‌های در دسترس شما، تازه‌ترین نخست.',
    },
    query: schema.InvitationQuery,
    reply: { 200: schema.InvitationList },
    errors: [],
    handle: listOfInvitations,
  }),
  route({
    method: 'POST',
    path: '/v1/invitations',
    operation: 'invitations.create',
    ...members,
    summary: {
      en: 'Invite somebody by e-mail. The invitation is for that address alone, once, for seven days.',
      fa: 'دعوت با ایمیل. دعوت تنها برای همان نشانی است، یک بار، تا هفت روز.',
    },
    idempotent: true,
    body: schema.InvitationBody,
    reply: { 201: schema.SentInvitation },
    errors: ['ROLE_TOO_HIGH', 'ALREADY_MEMBER', 'TOO_MANY_INVITATIONS'],
    handle: makeInvitation,
  }),
  route({
    method: 'POST',
    path: '/v1/invitations/accept',
    operation: 'invitations.accept',
    ...person,
    audited: true,
    summary: {
      en: 'Accept an invitation to an address that you have proven.',
      fa: 'پذیرفتن دعوتی به نشانی‌ای که از آنِ شما بودنش ثابت شده است.',
    },
    body: schema.AcceptBody,
    reply: { 200: schema.AcceptedInvitation },
    errors: ['INVITATION_INVALID', 'INVITATION_FOR_ANOTHER'],
    handle: acceptOwnInvitation,
  }),
  route({
    method: 'POST',
    path: '/v1/invitations/{id}/resend',
    operation: 'invitations.resend',
    ...members,
    summary: {
      en: 'Send an invitation once more. The link before it no longer works.',
      fa: 'فرستادن دوبارهٔ دعوت. پیوند پیشین دیگر کار نمی‌کند.',
    },
    params: schema.IdParams,
    body: schema.ResendBody,
    bodyMayBeAbsent: true,
    reply: { 200: schema.SentInvitation },
    errors: ['NOT_FOUND', 'ROLE_TOO_HIGH', 'INVITATION_INVALID', 'TOO_MANY_INVITATIONS'],
    handle: resendInvitation,
  }),
  route({
    method: 'DELETE',
    path: '/v1/invitations/{id}',
    operation: 'invitations.revoke',
    ...members,
    summary: { en: 'Revoke an invitation.', fa: 'لغو یک دعوت.' },
    params: schema.IdParams,
    reply: { 200: schema.Invitation },
    errors: ['NOT_FOUND', 'ROLE_TOO_HIGH'],
    handle: revokeInvitation,
  }),
]

export const peopleRoutes = {
  name: 'people',
  routes: [...meRoutes, ...memberRoutes, ...invitationRoutes],
}
