//! The code table.
//!
//! 00 reading and YAML, 01 shape and schema, 02 cross-field meaning, 03 MCP servers and secrets, 04 target language,
//! 05 rendering, 06 output ownership, 07 edits, 09 environment. Numbers are never reused; names state the fault.

use super::Severity;

macro_rules! codes {
    ($($number:literal $variant:ident $name:literal $severity:ident;)*) => {
        /// A kind of finding. Prints as `ADL` and four digits.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Code {
            $(
                #[doc = concat!("`", $name, "`")]
                $variant = $number,
            )*
        }

        impl Code {
            /// All codes, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The code with this number (`ADL0302`) or name.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.name() == word || code.to_string() == word)
            }

            /// The name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// The default severity.
            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity),* }
            }
        }
    };
}

codes! {
    1 InvalidUtf8 "invalid-utf8" Error;
    2 YamlSyntax "yaml-syntax" Error;
    3 EmptyDocument "empty-document" Error;
    4 MultipleDocuments "multiple-documents" Error;
    5 DuplicateKey "duplicate-key" Error;
    6 UnknownAnchor "unknown-anchor" Error;
    7 RecursiveAlias "recursive-alias" Error;
    8 TooManyAliasedNodes "too-many-aliased-nodes" Error;
    9 NestingTooDeep "nesting-too-deep" Error;
    10 NonStringKey "non-string-key" Error;
    11 UnrepresentableNumber "unrepresentable-number" Error;
    12 UnknownTag "unknown-tag" Error;
    13 InvalidMergeValue "invalid-merge-value" Error;
    14 UnsupportedYamlVersion "unsupported-yaml-version" Warning;
    15 InvalidAllowComment "invalid-allow-comment" Warning;
    16 UnusedAllowComment "unused-allow-comment" Warning;
    17 AllowCommentOnError "allow-comment-on-error" Warning;
    101 WrongType "wrong-type" Error;
    102 MissingField "missing-field" Error;
    103 UnknownKey "unknown-key" Error;
    104 InvalidValue "invalid-value" Error;
    105 UnquotedString "unquoted-string" Error;
    106 EmptyValue "empty-value" Error;
    107 NumberOutOfRange "number-out-of-range" Error;
    108 InvalidFormat "invalid-format" Error;
    109 InvalidDuration "invalid-duration" Error;
    110 TooFewItems "too-few-items" Error;
    111 ConflictingKeys "conflicting-keys" Error;
    112 OutdatedFormat "outdated-format" Error;
    113 LossyNumber "lossy-number" Warning;
    114 NonPortableField "non-portable-field" Warning;
    201 MissingLanguage "missing-language" Error;
    202 MultipleLanguages "multiple-languages" Error;
    203 BlankField "blank-field" Error;
    204 IncompleteTool "incomplete-tool" Error;
    205 BuiltInToolOverride "built-in-tool-override" Error;
    206 DuplicateToolId "duplicate-tool-id" Error;
    207 DuplicateToolName "duplicate-tool-name" Error;
    208 ToolIdsDifferOnlyInCase "tool-ids-differ-only-in-case" Error;
    209 InvalidToolName "invalid-tool-name" Error;
    210 ReservedToolName "reserved-tool-name" Error;
    211 NonObjectToolSchema "non-object-tool-schema" Error;
    212 InvalidToolSchema "invalid-tool-schema" Error;
    213 RequiredArgumentWithoutSchema "required-argument-without-schema" Warning;
    214 UnknownDependency "unknown-dependency" Error;
    215 IncompleteSkill "incomplete-skill" Error;
    216 DuplicateSkillId "duplicate-skill-id" Error;
    217 IncompleteSecurityScheme "incomplete-security-scheme" Error;
    218 UnknownSecurityScheme "unknown-security-scheme" Error;
    219 UnsupportedProtocolVersion "unsupported-protocol-version" Error;
    220 UnsupportedScheme "unsupported-scheme" Error;
    221 DuplicateDependency "duplicate-dependency" Warning;
    222 AmbiguousDependencyName "ambiguous-dependency-name" Warning;
    223 InvalidServiceName "invalid-service-name" Error;
    224 InvalidConfigName "invalid-config-name" Error;
    225 NameCollision "name-collision" Error;
    226 ReservedFileName "reserved-file-name" Warning;
    227 InvalidAgentName "invalid-agent-name" Error;
    228 UnusedToolConfig "unused-tool-config" Warning;
    229 InvalidCardUrl "invalid-card-url" Warning;
    230 UnknownTransport "unknown-transport" Warning;
    231 InvalidMode "invalid-mode" Warning;
    232 PathOutsideProject "path-outside-project" Error;
    233 DuplicatePath "duplicate-path" Error;
    234 InvalidExampleTitle "invalid-example-title" Error;
    235 UnusedDeploymentBlock "unused-deployment-block" Warning;
    236 UnsupportedDeployment "unsupported-deployment" Warning;
    237 UnsupportedScmFeature "unsupported-scm-feature" Warning;
    238 HookNeedsShell "hook-needs-shell" Warning;
    239 UnresolvedPlaceholder "unresolved-placeholder" Warning;
    240 LeadingZeroInVersion "leading-zero-in-version" Warning;
    241 NulCharacter "nul-character" Error;
    242 UnenforcedSecurity "unenforced-security" Warning;
    301 DuplicateServerName "duplicate-server-name" Error;
    302 InvalidServerUrl "invalid-server-url" Error;
    303 ServerWithoutUrl "server-without-url" Warning;
    304 StdioServerWithoutCommand "stdio-server-without-command" Warning;
    305 DuplicateServerUrl "duplicate-server-url" Warning;
    306 InvalidEndpoint "invalid-endpoint" Error;
    307 NonPositiveDuration "non-positive-duration" Error;
    308 RetryIntervalAboveMaximum "retry-interval-above-maximum" Error;
    309 HardcodedCredential "hardcoded-credential" Warning;
    310 InvalidVariableReference "invalid-variable-reference" Warning;
    311 InvalidHeader "invalid-header" Error;
    312 DuplicateHeader "duplicate-header" Error;
    313 InvalidVariableName "invalid-variable-name" Error;
    314 UnusedTransportField "unused-transport-field" Warning;
    320 ServerDropped "server-dropped" Warning;
    321 McpIgnored "mcp-ignored" Warning;
    322 NoUsableServer "no-usable-server" Warning;
    323 ProgramNotInImage "program-not-in-image" Warning;
    401 InvalidModulePath "invalid-module-path" Error;
    402 InvalidGoVersion "invalid-go-version" Error;
    403 VersionRaised "version-raised" Warning;
    404 FeatureNotGenerated "feature-not-generated" Warning;
    405 InvalidPackageName "invalid-package-name" Error;
    406 InvalidToolchainVersion "invalid-toolchain-version" Error;
    407 InvalidPackageEntry "invalid-package-entry" Warning;
    408 UnsupportedFeature "unsupported-feature" Warning;
    409 UnknownGoVersion "unknown-go-version" Warning;
    501 InternalError "internal-error" Error;
    601 OutputBlocked "output-blocked" Error;
    602 ConcurrentModification "concurrent-modification" Error;
    603 MergeConflict "merge-conflict" Error;
    604 ObsoleteFileKept "obsolete-file-kept" Warning;
    605 SeededFileOutdated "seeded-file-outdated" Warning;
    606 SeededFileDeleted "seeded-file-deleted" Warning;
    607 RequiredFileIgnored "required-file-ignored" Warning;
    608 ProjectOutOfDate "project-out-of-date" Error;
    609 ConflictMarkers "conflict-markers" Error;
    610 ManifestNotCopied "manifest-not-copied" Warning;
    611 IncompleteRun "incomplete-run" Warning;
    701 FixNotApplied "fix-not-applied" Warning;
    702 InvalidAgentFile "invalid-agent-file" Error;
    703 InvalidRegistry "invalid-registry" Error;
    704 UnknownServer "unknown-server" Error;
    705 ServerExists "server-exists" Error;
    706 EntryBlocked "entry-blocked" Error;
    707 PlanChanged "plan-changed" Error;
    901 FileNotFound "file-not-found" Error;
    902 FileIsDirectory "file-is-directory" Error;
    903 FileReadFailed "file-read-failed" Error;
    904 FileTooLarge "file-too-large" Error;
    905 ManifestNotFound "manifest-not-found" Error;
    906 UnknownTopic "unknown-topic" Error;
    907 UnknownOutputFile "unknown-output-file" Error;
    908 UnknownCodingAgent "unknown-coding-agent" Error;
    911 InvalidOutputFolder "invalid-output-folder" Error;
    912 OutputFolderLocked "output-folder-locked" Error;
    913 OutputReadFailed "output-read-failed" Error;
    914 OutputWriteFailed "output-write-failed" Error;
    915 Interrupted "interrupted" Error;
    916 RollbackFailed "rollback-failed" Error;
    917 FileWriteFailed "file-write-failed" Error;
    918 HookFailed "hook-failed" Error;
    930 InvalidEnvLine "invalid-env-line" Error;
    931 UnknownVariable "unknown-variable" Warning;
    932 MissingVariable "missing-variable" Error;
    933 DuplicateVariable "duplicate-variable" Warning;
    934 WrongVariableType "wrong-variable-type" Error;
    935 InvalidVariableDuration "invalid-variable-duration" Error;
    936 InvalidVariableUrl "invalid-variable-url" Error;
    937 VariableOutOfRange "variable-out-of-range" Error;
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ADL{:04}", *self as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_ascending_and_names_unique() {
        let mut names = std::collections::BTreeSet::new();
        for pair in Code::ALL.windows(2) {
            assert!(pair[0] < pair[1], "{} precedes {}", pair[0], pair[1]);
        }
        for code in Code::ALL {
            assert!(names.insert(code.name()), "`{}` is used twice", code.name());
        }
    }
}
