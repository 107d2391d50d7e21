{{/* The release's name, with "sluice" in it. Short enough for the names that are made of it. */}}
{{- define "sluice.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride }}
{{- else if contains "sluice" .Release.Name -}}
{{ .Release.Name }}
{{- else -}}
{{ .Release.Name }}-sluice
{{- end -}}
{{- end -}}

{{- define "sluice.selector" -}}
app.kubernetes.io/name: sluice
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "sluice.labels" -}}
{{ include "sluice.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "sluice.scheme" -}}
{{ ternary "https" "http" (ne .Values.tls.existingSecret "") }}
{{- end -}}

{{- define "sluice.keys" -}}
{{ .Values.keys.existingSecret | default (printf "%s-keys" (include "sluice.fullname" .)) }}
{{- end -}}

{{/* The StatefulSets of targets: one for each zone, or one. Lists of {name, zone, replicas}, as JSON. */}}
{{- define "sluice.targetSets" -}}
{{- $name := printf "%s-target" (include "sluice.fullname" .) -}}
{{- $sets := list -}}
{{- if .Values.targets.zones -}}
{{- $replicas := div .Values.targets.count (len .Values.targets.zones) -}}
{{- range sortAlpha .Values.targets.zones -}}
{{- $sets = append $sets (dict "name" (printf "%s-%s" $name .) "zone" . "replicas" $replicas) -}}
{{- end -}}
{{- else -}}
{{- $sets = append $sets (dict "name" $name "zone" "" "replicas" (int .Values.targets.count)) -}}
{{- end -}}
{{ toJson (dict "sets" $sets) }}
{{- end -}}

{{/* All targets, {id, pod}, as JSON. In zones the ordinal comes before the zone: the three lowest ids, which are the
controllers, are then in different zones. */}}
{{- define "sluice.members" -}}
{{- $full := include "sluice.fullname" . -}}
{{- $members := list -}}
{{- range $set := (include "sluice.targetSets" . | fromJson).sets -}}
{{- range $i := until (int $set.replicas) -}}
{{- $pod := printf "%s-%d" $set.name $i -}}
{{- $id := ternary (printf "%s-target-%d-%s" $full $i $set.zone) $pod (ne $set.zone "") -}}
{{- $members = append $members (dict "id" $id "pod" $pod) -}}
{{- end -}}
{{- end -}}
{{ toJson (dict "members" $members) }}
{{- end -}}

{{- define "sluice.memberIds" -}}
{{- $ids := list -}}
{{- range (include "sluice.members" . | fromJson).members -}}
{{- $ids = append $ids .id -}}
{{- end -}}
{{ join " " $ids }}
{{- end -}}

{{/* What the schema cannot say. Included by the settings, so that every rendering checks it. */}}
{{- define "sluice.check" -}}
{{- $targets := .Values.targets -}}
{{- $full := include "sluice.fullname" . -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $full) -}}
{{- fail (printf "the name %q cannot begin the names of Services: set fullnameOverride to lower-case letters, digits and '-', a letter first" $full) -}}
{{- end -}}
{{- range $key := list "tls_certificate" "tls_key" -}}
{{- if hasKey $.Values.settings.http $key -}}
{{- fail (printf "settings.http.%s: name the Secret with the certificate in tls.existingSecret instead" $key) -}}
{{- end -}}
{{- end -}}
{{- if and $targets.zones (eq $targets.updateStrategy "RollingUpdate") -}}
{{- fail "targets.updateStrategy is RollingUpdate, with targets.zones: Kubernetes would restart a target of each zone at the same time, and all controllers with them. Leave it out, or set OnDelete" -}}
{{- end -}}
{{- if $targets.zones -}}
{{- if ne (mod $targets.count (len $targets.zones)) 0 -}}
{{- fail (printf "targets.count is %d, which is not a multiple of the %d zones in targets.zones: every zone has the same number of targets" (int $targets.count) (len $targets.zones)) -}}
{{- end -}}
{{- end -}}
{{- range (include "sluice.targetSets" . | fromJson).sets -}}
{{- if gt (len .name) 52 -}}
{{- fail (printf "the StatefulSet %s has more than 52 characters in its name: set a shorter fullnameOverride" .name) -}}
{{- end -}}
{{- end -}}
{{- if and $targets.founded (ne (int $targets.founded) (int $targets.count)) -}}
{{- fail (printf "targets.count is %d, but the cluster was made with %d targets (targets.founded): the number of targets cannot change yet" (int $targets.count) (int $targets.founded)) -}}
{{- end -}}
{{- $founded := lookup "v1" "ConfigMap" .Release.Namespace (printf "%s-founded" .Release.Name) -}}
{{- if $founded -}}
{{- $ids := include "sluice.memberIds" . -}}
{{- if ne $founded.data.targets $ids -}}
{{- fail (printf "the cluster was made with the targets %q, but these values name %q: the number, the names and the zones of targets cannot change yet. For a new cluster take another release or namespace, or remove the old one as docs/kubernetes.md says" $founded.data.targets $ids) -}}
{{- end -}}
{{- $drives := toString $targets.drivesPerTarget -}}
{{- if ne $founded.data.drivesPerTarget $drives -}}
{{- fail (printf "the cluster was made with %s drives for each target, but these values ask for %s: Kubernetes does not change the volumes of an installed StatefulSet" $founded.data.drivesPerTarget $drives) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Settings as lines of TOML: JSON's texts, numbers and flags are TOML's too. */}}
{{- define "sluice.toml" -}}
{{- range $key, $value := . }}
{{ $key }} = {{ toJson $value }}
{{- end }}
{{- end -}}

{{/* What the settings of targets and proxies share, behind [node] and [drives]. */}}
{{- define "sluice.sharedSettings" -}}
{{- $full := include "sluice.fullname" . -}}
{{- range (include "sluice.members" . | fromJson).members }}
[[cluster.nodes]]
id = {{ toJson .id }}
role = "target"
url = "{{ include "sluice.scheme" $ }}://{{ .pod }}.{{ $full }}-targets.{{ $.Release.Namespace }}.svc.{{ $.Values.clusterDomain }}:8080"
{{ end }}
# Keys come from the environment.
[auth]
{{- include "sluice.toml" .Values.settings.auth }}
{{- if or (not .Values.tls.existingSecret) (eq (toString .Values.settings.auth.enabled) "false") }}
# A node refuses to listen without TLS or authentication, unless this says that it is meant.
insecure = true
{{- end }}

[http]
{{- $http := .Values.settings.http }}
{{- if .Values.tls.existingSecret }}
{{- $http = merge (dict "tls_certificate" "/etc/sluice/tls/tls.crt" "tls_key" "/etc/sluice/tls/tls.key") $http }}
{{- end }}
{{- include "sluice.toml" $http }}

[limits]
{{- include "sluice.toml" .Values.settings.limits }}

[storage]
{{- include "sluice.toml" .Values.settings.storage }}

[log]
{{- include "sluice.toml" .Values.settings.log }}

[backends]
allow = {{ toJson .Values.backendsAllow }}
{{- range $name, $backend := .Values.backends }}

[backends.{{ $name }}]
{{- include "sluice.toml" $backend }}
{{- end }}
{{- end -}}

{{- define "sluice.targetSettings" -}}
# The targets of {{ include "sluice.fullname" . }}. Id, URL, address and zone are in the environment of each.
[node]
role = "target"

[drives]
paths = {{ include "sluice.drivePaths" . }}
{{ include "sluice.sharedSettings" . }}
{{- end -}}

{{- define "sluice.proxySettings" -}}
# The proxies of {{ include "sluice.fullname" . }}. Id, URL, address and zone are in the environment of each.
[node]
role = "proxy"
{{ include "sluice.sharedSettings" . }}
{{- end -}}

{{- define "sluice.drivePaths" -}}
{{- $paths := list -}}
{{- range $i := until (int .Values.targets.drivesPerTarget) -}}
{{- $paths = append $paths (printf "/drives/drive-%d" (add1 $i)) -}}
{{- end -}}
{{ toJson $paths }}
{{- end -}}

{{/* The pod's part that targets and proxies share. */}}
{{- define "sluice.podSettings" -}}
automountServiceAccountToken: false
# Kubernetes would make variables SLUICE_… of the Services' names.
enableServiceLinks: false
terminationGracePeriodSeconds: 60
{{- with .Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  # Not on every start: a drive has millions of files, and their modes are Sluice's.
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "sluice.image" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end -}}

{{/* Who a node is. POD_NAME comes first: the others refer to it. Call with {root, service}. */}}
{{- define "sluice.nodeEnvironment" -}}
- name: SLUICE_NODE_URL
  value: "{{ include "sluice.scheme" .root }}://$(POD_NAME).{{ include "sluice.fullname" .root }}-{{ .service }}.{{ .root.Release.Namespace }}.svc.{{ .root.Values.clusterDomain }}:8080"
- name: SLUICE_NODE_LISTEN
  value: "0.0.0.0:8080"
{{- range $variable, $key := dict "SLUICE_ACCESS_KEY" "access-key" "SLUICE_SECRET_KEY" "secret-key" "SLUICE_CLUSTER_KEY" "cluster-key" }}
- name: {{ $variable }}
  valueFrom:
    secretKeyRef: {name: {{ include "sluice.keys" $.root }}, key: {{ $key }}}
{{- end }}
- name: SLUICE_JVM_FLAGS
  value: {{ .root.Values.jvmFlags | quote }}
{{- end -}}

{{/* An address to ask. Call with {root, path}. */}}
{{- define "sluice.get" -}}
httpGet: {path: {{ .path }}, port: s3, scheme: {{ include "sluice.scheme" .root | upper }}}
{{- end -}}

{{- define "sluice.mounts" -}}
- {name: settings, mountPath: /etc/sluice/settings, readOnly: true}
# The image's home, and what the JVM writes at its start.
- {name: home, mountPath: /data}
- {name: tmp, mountPath: /tmp}
{{- if .Values.tls.existingSecret }}
- {name: tls, mountPath: /etc/sluice/tls, readOnly: true}
{{- end }}
{{- end -}}

{{- define "sluice.volumes" -}}
- name: settings
  configMap: {name: {{ include "sluice.fullname" . }}-settings}
- name: home
  emptyDir: {}
- name: tmp
  emptyDir: {}
{{- if .Values.tls.existingSecret }}
- name: tls
  secret: {secretName: {{ .Values.tls.existingSecret }}, defaultMode: 0440}
{{- end }}
{{- end -}}
