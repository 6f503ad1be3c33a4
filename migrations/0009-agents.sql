-- Agents of a project.
create schema agents;

create table agents.agents (
  account_id uuid not null,
  agent_id uuid not null,
  project_id uuid not null,
  name text not null,
  instructions text not null,
  model text not null,
  kind text not null check (kind in ('chat', 'research', 'document', 'code', 'data')),
  knowledge_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, agent_id)
);
create index agents_list on agents.agents (account_id, project_id, agent_id desc);

-- How many agents a project has: those who make some wait for each other here, so that the bound holds to the last one.
create table agents.projects (
  account_id uuid not null,
  project_id uuid not null,
  agents int not null check (agents >= 0),
  primary key (account_id, project_id)
) with (fillfactor = 70);
